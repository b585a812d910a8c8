#!/usr/bin/env python3
"""What a start costs because it looks at the objects of the installed version, on a site of 2,000 files.

bench-start.py [PACKTOOL [ROUNDS]]

`packtool client start` is timed on devices in turn, each with a confirmed version of 2,000 files:

  before          each file is an object of its own; the program is the one that BEFORE names, which looks at none of them
                  (the last commit that did not is 6ee27b1d). Left out where BEFORE is not set.
  known           the same with this program, and none has changed since it was verified
  one object      all files have the same content, so the start has one object to look at: the rest of its work is the same
  touched         known, after the times of all objects were changed: each is hashed

Beside them stands a bare stat of the 2,000 objects. Ends with 1 where the bar is missed: known within 5 % of before.
"""

import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ARGUMENTS = sys.argv[1:]
TOOL = os.path.abspath(ARGUMENTS[0] if ARGUMENTS else ".build/bin/packtool")
ROUNDS = int(ARGUMENTS[1]) if len(ARGUMENTS) > 1 else 51
BEFORE = os.path.abspath(os.environ["BEFORE"]) if os.environ.get("BEFORE") else None
FILES, SIZE, BAR = 2_000, 10_000, 1.05


def run(*arguments, tool=TOOL, folder="."):
    done = subprocess.run([tool, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done)


def site(name, content):
    """FILES files; `content` gives the bytes of each number. The page is one of them."""
    for number in range(FILES):
        file = pathlib.Path(name, f"part{number % 40}", f"file{number}.js") if number else pathlib.Path(name, "index.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content(number))


class Device:
    def __init__(self, name, channel, tool=TOOL):
        self.tool, self.folder = tool, "."
        self.options = ["--store", name, "--channel", channel]
        self.run("update", "--root", ".packtool/root.json")
        self.run("start")
        self.run("confirm")
        # What is noted at the first start of a confirmed version.
        self.run("start")
        self.objects = [path for path in pathlib.Path(name, "objects").rglob("*") if path.is_file()]
        self.times = []

    def run(self, verb, *arguments):
        run("client", verb, *arguments, *self.options, tool=self.tool, folder=self.folder)

    def record(self):
        """The file of what was verified, by its number; the program of before has none."""
        folder = pathlib.Path(self.folder, self.options[1], "verified")
        return [path.stat().st_ino for path in folder.iterdir()] if folder.is_dir() else []

    def start(self, hashes=False):
        before = self.record()
        begin = time.perf_counter()
        self.run("start")
        self.times.append((time.perf_counter() - begin) * 1000)
        # A start that hashed something notes it in a new file.
        assert (self.record() != before) == hashes, self.options

    def touch(self):
        for path in self.objects:
            os.utime(path)

    def look(self):
        begin = time.perf_counter()
        for path in self.objects:
            os.stat(path)
        return (time.perf_counter() - begin) * 1000


def device_of_before():
    """In a folder, a project and a registry of its own: the program of before made all of it, and reads no newer configuration."""
    here = os.getcwd()
    folder = tempfile.mkdtemp(prefix="packtool-start-before-")
    shutil.copytree("many", os.path.join(folder, "many"))
    os.chdir(folder)
    run("init", "--template", "config", tool=BEFORE)
    run("build", "many", "--package", "site", "--package-version", "1.0.1", "--out", "packages", tool=BEFORE)
    run("publish", "packages/site-1.0.1.zip", "--channel", "many", tool=BEFORE)
    device = Device("device", "many", BEFORE)
    os.chdir(here)
    device.folder = folder
    return device


def main():
    folder = tempfile.mkdtemp(prefix="packtool-start-")
    os.chdir(folder)
    filler = random.Random(7).randbytes(SIZE // 2).hex().encode()
    site("one", lambda _: filler)
    site("many", lambda number: b"%08d" % number + filler[8:])
    run("init", "--template", "config")
    # A version has one content in a registry, so the other one has a version of its own.
    run("build", "one", "--package", "site", "--package-version", "1.0.0", "--out", "packages-one")
    run("build", "many", "--package", "site", "--package-version", "1.0.1", "--out", "packages-many")
    run("publish", "packages-one/site-1.0.0.zip", "--channel", "one", "--no-wait")
    run("publish", "packages-many/site-1.0.1.zip", "--channel", "many", "--new-channel", "--no-wait")
    single, known, touched = Device("device-one", "one"), Device("device-known", "many"), Device("device-touched", "many")
    assert (len(single.objects), len(known.objects), len(touched.objects)) == (1, FILES, FILES)
    timed = [single, known] + ([device_of_before()] if BEFORE else [])
    looks = []
    for number in range(ROUNDS):
        # Who is first changes from round to round.
        for place in range(len(timed)):
            timed[(number + place) % len(timed)].start()
        looks.append(known.look())
        touched.touch()
        touched.start(hashes=True)
    for used in {folder, timed[-1].folder} - {"."}:
        shutil.rmtree(used)

    base = statistics.median((timed[2] if BEFORE else known).times)
    ratio = statistics.median(known.times) / base
    print(f"`packtool client start`, {FILES:,} files of {SIZE:,} bytes, {ROUNDS} rounds in turns.\n")
    print("| | median, ms | lowest, ms | ratio | bar |\n| --- | --: | --: | --: | --- |")
    rows = [("before a start looked at objects (6ee27b1d)", timed[2].times, "")] if BEFORE else []
    bar = (f"≤ {BAR}" + ("" if ratio <= BAR else ", **missed**")) if BEFORE else ""
    for name, times, bar in rows + [
        (f"{FILES:,} objects, none changed", known.times, bar),
        ("all files are one object", single.times, ""),
        (f"{FILES:,} objects, all touched: each is hashed", touched.times, ""),
        (f"a bare `stat` of {FILES:,} objects, in Python", looks, ""),
    ]:
        median = statistics.median(times)
        print(f"| {name} | {median:.1f} | {min(times):.1f} | {median / base:.2f} | {bar} |")
    if ratio > BAR:
        sys.exit("bench-start: the bar is missed")


main()
