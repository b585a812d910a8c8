#!/usr/bin/env bash
# Instructions of the inner loops, counted by callgrind, against Benchmarks/thresholds.json: the same on every machine of one kind,
# whatever else it does. Fails where a loop takes more than its threshold; UPDATE=1 writes new thresholds (10 % above what was counted).
set -euo pipefail
cd "$(dirname "$0")/.."
swift build -c release --static-swift-stdlib --package-path Benchmarks --product inner-loops >&2
# valgrind 3.19 gives up on the debug information.
strip -o Benchmarks/.build/inner-loops Benchmarks/.build/release/inner-loops
exec python3 - Benchmarks/.build/inner-loops Benchmarks/thresholds.json <<'PYTHON'
import json, os, pathlib, re, subprocess, sys, tempfile

tool, file = sys.argv[1], pathlib.Path(sys.argv[2])
thresholds = json.loads(file.read_text())


def instructions(name, count):
    with tempfile.NamedTemporaryFile() as out:
        text = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", tool, name, str(count)],
            check=True, capture_output=True, text=True, env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}).stderr
    return int(re.search(r"Collected : (\d+)", text).group(1))


names = subprocess.run([tool], check=True, capture_output=True, text=True).stdout.split()
lines = ["Instructions a pass, counted by `valgrind --tool=callgrind`.", "",
         "| loop | instructions | threshold |", "| --- | --: | --: |"]
faults = []
for name in names:
    found = (instructions(name, 11) - instructions(name, 1)) // 10
    if os.environ.get("UPDATE") == "1":
        thresholds[name] = found * 11 // 10
    limit = thresholds.get(name, 0)
    lines.append(f"| {name} | {found:,} | {limit:,} |")
    if found > limit:
        faults.append(f"{name}: {found:,} instructions, at most {limit:,} are allowed")
table = "\n".join(lines)
print(table)
if os.environ.get("UPDATE") == "1":
    file.write_text(json.dumps(thresholds, indent=2, sort_keys=True) + "\n")
if os.environ.get("REPORT") == "1":
    subprocess.run(["Benchmarks/report.py", "loops"], input=table.encode(), check=True)
sys.exit("\n".join(faults) or 0)
PYTHON
