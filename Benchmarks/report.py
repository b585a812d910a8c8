#!/usr/bin/env python3
"""Puts a section into docs/BENCHMARKS.md: report.py NAME < section.md

A section stands between <!-- NAME --> and <!-- /NAME -->; the rest of the document stays as it is. The machine's line is written anew.
"""
import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys

document = pathlib.Path(__file__).parent.parent / "docs/BENCHMARKS.md"


def version(command):
    try:
        output = subprocess.run(command, shell=True, capture_output=True, text=True).stdout
        return output.strip().splitlines()[0] if output.strip() else "?"
    except OSError:
        return "?"


def machine():
    cpu = version("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo")
    memory = int(version("sed -n 's/^MemTotal: *\\([0-9]*\\).*/\\1/p' /proc/meminfo")) // 1_000_000
    system = version(". /etc/os-release; echo \"$PRETTY_NAME\"")
    return f"{cpu}, {os.cpu_count()} cores, {memory} GB, {system}, Linux {platform.release()}"


name = sys.argv[1]
text = document.read_text()
section = f"<!-- {name} -->\n{sys.stdin.read().strip()}\n\nMeasured {datetime.date.today()}: {machine()}.\n<!-- /{name} -->"
pattern = re.compile(f"<!-- {name} -->.*?<!-- /{name} -->", re.DOTALL)
if not pattern.search(text):
    sys.exit(f"docs/BENCHMARKS.md has no section {name}")
document.write_text(pattern.sub(lambda _: section, text))
