"""Runs `packtool status --watch` on a terminal of its own, does something meanwhile, and presses a key.

watch_terminal.py PROGRAM KEY CHANGE -- ARGUMENTS   prints {"first", "last", "exit", "isRestored"}
`first` and `last` are what the terminal showed; CHANGE is a line of shell that runs in between.
"""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

program, key, change = sys.argv[1:4]
arguments = sys.argv[5:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(program, [program, *arguments])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
before = termios.tcgetattr(terminal)
said = b""


def read(seconds: float, until: str) -> str:
    """What is on the screen, once a frame has the text."""
    global said
    end = time.time() + seconds
    while time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                said += os.read(terminal, 65536)
            except OSError:
                break
        frames = said.decode(errors="replace").split("\x1b[H")
        for frame in reversed(frames[1:]):
            if "\x1b[J" in frame and until in frame:
                return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frame).replace("\r", "")
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode(errors="replace"))


first = read(20, "PACKAGE")
subprocess.run(change, shell=True, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
last = read(20, "→")
if key == "interrupt":
    os.kill(pid, signal.SIGINT)
else:
    os.write(terminal, key.encode())
end = time.time() + 10
status = None
while time.time() < end:
    found, code = os.waitpid(pid, os.WNOHANG)
    if found:
        status = os.waitstatus_to_exitcode(code)
        break
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            said += os.read(terminal, 65536)
        except OSError:
            pass
if status is None:
    os.kill(pid, signal.SIGKILL)
# What it said last: the terminal gives it out after the program's end, too.
while select.select([terminal], [], [], 0.2)[0]:
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    if not more:
        break
    said += more
text = said.decode(errors="replace")
print(json.dumps({
    "first": first, "last": last, "exit": status, "began": "\x1b[?1049h" in text,
    "isRestored": "\x1b[?1049l" in text and "\x1b[?25h" in text,
}))
