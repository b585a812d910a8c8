#!/usr/bin/env bash
# All bytes of real updates on the wire: requests, header fields, metadata, manifest and content in both directions, for all consecutive
# versions of the web builds in Benchmarks/datasets.json. Beside it what the protocols of CodePush and Capgo send for the same update:
#
#   CodePush   one question (its answer names a zip), and the zip of the changed files, with the list of the deleted ones
#   Capgo      one question (its answer lists each file with its hash and URL), and each missing file in brotli
#
# For both, a request counts 450 bytes of header fields with its answer, as ours do, and no report is counted.
#
#   scripts/bench-wire.sh [SET...]        PACKTOOL names the binary
#
# Prints a table; with REPORT=1 writes it into docs/BENCHMARKS.md. The registry serves over the loopback, and a relay counts. What was
# measured is kept in .cache/bench-wire, so an interrupted run goes on. Needs zip and brotli.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/fetch-datasets.sh "$@"
exec python3 - "${PACKTOOL:-$PWD/.build/bin/packtool}" "$@" <<'PYTHON'
import hashlib, json, os, pathlib, subprocess, sys, tempfile

sys.path.insert(0, "Benchmarks")
from other_protocols import HEADS, others
from public_builds import BuildRegistry

binary, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
sets = json.loads(pathlib.Path(os.environ.get("DATASETS", "Benchmarks/datasets.json")).read_text())["sets"]
data, cache = pathlib.Path(".cache/datasets").resolve(), pathlib.Path(".cache/bench-wire")
cache.mkdir(parents=True, exist_ok=True)
stamp = hashlib.sha256(binary.read_bytes()).hexdigest()[:12]


def measure(versions):
    """The cost of each update of a set, one after the other on one device."""
    results = []
    with tempfile.TemporaryDirectory() as work, BuildRegistry(binary, pathlib.Path(work)) as registry:
        for number, version in enumerate(versions):
            registry.publish(version, f"1.{number}.0")
            results.append(registry.update())
    return results[1:]


lines = ["| build | updates | requests | up | down | of it manifests and content | CodePush: requests, bytes | Capgo: requests, bytes |",
         "| --- | --: | --: | --: | --: | --: | --: | --: |"]
sums = [0] * 9
for name in wanted or list(sets):
    versions = [v for v in sets[name]["versions"] if (data / name / v).is_dir()]
    kept = cache / f"{name} {stamp}.json"
    if not kept.exists():
        kept.write_text(json.dumps(measure([data / name / v for v in versions])))
    results = json.loads(kept.read_text())
    if not results:
        continue
    rivals = cache / f"{name} {versions[0]} {versions[-1]} others.json"
    if not rivals.exists():
        rivals.write_text(json.dumps([others(data / name / a, data / name / b) for a, b in zip(versions, versions[1:])]))
    row = [len(results), *(sum(r[key] for r in results) for key in ("requests", "up", "down", "content"))]
    for protocol in ("codepush", "capgo"):
        found = [r[protocol] for r in json.loads(rivals.read_text())]
        row += [sum(r[0] for r in found), sum(r[0] * HEADS + r[1] for r in found)]
    sums = [a + b for a, b in zip(sums, row)]

    def cells(row):
        return [f"{n:,}" for n in row[:5]] + [f"{row[5]:,}, {row[6]:,}", f"{row[7]:,}, {row[8]:,}"]
    lines.append(f"| {name} | " + " | ".join(cells(row)) + " |")
    print(lines[-1], file=sys.stderr, flush=True)
lines.append("| all | " + " | ".join(cells(sums)) + " |")
table = "\n".join(lines)
print(table)
if os.environ.get("REPORT") == "1":
    subprocess.run(["Benchmarks/report.py", "wire"], input=table.encode(), check=True)
PYTHON
