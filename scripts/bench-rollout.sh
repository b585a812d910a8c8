#!/usr/bin/env bash
# What a million devices with random facts take while the share of a release grows, by the device's code and by the server's, and a
# channel file of 2,000 packages, beside a bare SHA-256 and a plain JSON parse in the same run. DEVICES and SEED say otherwise. Fails
# where a bar is missed; REPORT=1 writes the table into docs/BENCHMARKS.md.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build -c release --static-swift-stdlib --package-path Benchmarks --product rollout >&2
seed=${SEED:-14}
exec python3 - "$seed" <(Benchmarks/.build/release/rollout "${DEVICES:-1000000}" "$seed") <<'PYTHON'
import collections, os, subprocess, sys

seed, lines = sys.argv[1:]
found = collections.defaultdict(list)
for line in open(lines):
    kind, *values = line.rstrip("\n").split("\t")
    found[kind].append(values)
if not found["time"]:
    sys.exit("bench-rollout: the run did not end")
memory = [(int(count), int(size) / 1000) for count, size in found["memory"]]
steps = [tuple(int(value) for value in step) for step in found["step"]]
rates = {name: float(rate) for name, rate in found["rate"]}
times = {name: float(time) for name, time in found["time"]}
size, packages, rolled_out = (int(value) for value in found["channel"][0])
devices = memory[-1][0]
audience = steps[-1][1]
faults = []


def within(name, holds):
    if not holds:
        faults.append(f"bench-rollout: {name}: the bar is missed")
    return "" if holds else ", **missed**"


table = [
    f"{devices:,} devices with random facts (seed {seed}), {audience:,} of them in the audience of the release. *By chance*: the",
    "standard deviation of a share of so many devices. Times are CPU time of one core.", "",
    "| share | take it | of the audience | off the share (bar ±0.1) | by chance | left | device and server differ |",
    "| --: | --: | --: | --: | --: | --: | --: |"]
for share, taken, _, left, differing in steps:
    planned, measured = share / 100, 100 * taken / max(audience, 1)
    chance = (planned * (100 - planned) / max(audience, 1)) ** 0.5
    state = within(f"{planned:g} %: share", abs(measured - planned) <= 0.1)
    state += within(f"{planned:g} %: leaves or differs", left == 0 and differing == 0)
    table.append(
        f"| {planned:g} % | {taken:,} | {measured:.3f} % | {measured - planned:+.3f}{state} | {chance:.3f} | {left:,} | {differing:,} |")
if not 0.2 <= audience / devices <= 0.95:
    faults.append("bench-rollout: the audience is of nearly all devices, or of few")
table += ["", "| | measured | of the peer | bar |", "| --- | --: | --: | --: |"]
for key, name, least in (
        ("device", "the device's choice: decisions/s", 100_000), ("server", "the server's update check: decisions/s", 100_000),
        ("explained", "the server's explanation: answers/s", 0), ("bare", "peer: SHA-256 of the same text, look into a dictionary: times/s", 0)):
    bar = f"≥ {least:,}{within(name, rates[key] >= least)}" if least else ""
    ratio = "" if key == "bare" else f"{rates[key] / rates['bare']:.3f}"
    table.append(f"| {name} | {rates[key]:,.0f} | {ratio} | {bar} |")
(fewer, before), (_, after) = memory
# Eight bytes kept of each device would be more.
bar = within("peak memory", after <= before + 7)
table.append(f"| peak memory after {fewer:,} and {devices:,} devices, MB | {before:.1f}, {after:.1f} | | at most 7 more{bar} |")
channel = f"{packages:,} packages, {size / 1e6:.1f} MB"
for key, name, most in (
        ("parsed", f"channel file of {channel}: parsed, ms", 0), ("device", "parsed, and all decided by the device, ms", 50),
        ("server", "parsed, and all decided by the server, ms", 50), ("plain", "peer: Foundation's `JSONSerialization` of the same file, ms", 0)):
    bar = f"< {most}{within(name, times[key] < most)}" if most else ""
    ratio = "" if key == "plain" else f"{times[key] / times['plain']:.2f}"
    table.append(f"| {name} | {times[key]:.1f} | {ratio} | {bar} |")
if not packages // 10 < rolled_out < packages:
    faults.append("bench-rollout: the rollouts of the channel file admit the device nearly always, or never")
table = "\n".join(table)
print(table)
if os.environ.get("REPORT") == "1":
    subprocess.run(["Benchmarks/report.py", "rollout"], input=table.encode(), check=True)
sys.exit("\n".join(faults) or 0)
PYTHON
