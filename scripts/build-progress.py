#!/usr/bin/env python3
"""Reads what `swift build` prints, keeps it in a log, and says how far it is: on a terminal in one line that is written over,
else a line each twenty seconds. Errors are printed as they come, once each.

    swift build ... 2>&1 | scripts/build-progress.py .build/build.log
"""
import re
import sys
import time

STEP = re.compile(r"\[(\d+)/(\d+)\] (?:Compiling|Emitting module|Linking|Write|Wrapping|Merging module) *(\S*)")
PAUSE = 20


class Progress:
    def __init__(self):
        self.is_terminal = sys.stdout.isatty()
        self.started = self.shown = time.monotonic()
        self.width = 0

    def show(self, what):
        now = time.monotonic()
        if now - self.shown < (0.2 if self.is_terminal else PAUSE):
            return
        self.shown = now
        text = f"  {now - self.started:.0f} s: {what}"
        if self.is_terminal:
            sys.stdout.write("\r" + text.ljust(self.width)[:110])
            self.width = len(text)
        else:
            print(text)
        sys.stdout.flush()

    def line(self, text):
        self.end()
        print(text, flush=True)

    def end(self):
        if self.is_terminal and self.width:
            sys.stdout.write("\r" + " " * self.width + "\r")
            sys.stdout.flush()
            self.width = 0


def main():
    progress, printed = Progress(), set()
    with open(sys.argv[1], "w", encoding="utf-8") as log:
        for line in sys.stdin:
            log.write(line)
            if step := STEP.match(line):
                progress.show(f"step {step[1]} of {step[2]}, {step[3]}")
            elif re.search(r"(^|\s)error:", line) and line not in printed:
                printed.add(line)
                progress.line(line.rstrip())
            elif line.startswith(("Fetching", "Cloning", "Computing")):
                progress.show(line.strip())
    progress.end()


if __name__ == "__main__":
    main()
