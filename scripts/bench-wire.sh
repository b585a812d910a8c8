#!/usr/bin/env bash
# All bytes of real updates on the wire: requests, header fields, metadata, manifest and content in both directions, for all consecutive
# versions of the web builds in Benchmarks/datasets.json. Beside it what a client of CodePush's or Capgo's kind downloads for the same
# update at least: the zip of the changed files, and each missing file in brotli, without header fields and lists.
#
#   scripts/bench-wire.sh [SET...]        PACKTOOL names the binary
#
# Prints a table; with REPORT=1 writes it into docs/BENCHMARKS.md. The registry serves over the loopback, and a relay counts. What was
# measured is kept in .cache/bench-wire, so an interrupted run goes on. The last two columns come from .cache/bench-update, if
# scripts/bench-update.sh has run.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/fetch-datasets.sh "$@"
exec python3 - "${PACKTOOL:-$PWD/.build/bin/packtool}" "$@" <<'PYTHON'
import hashlib, json, os, pathlib, subprocess, sys, tempfile

sys.path.insert(0, "Tests/Tools")
from packtool_runs import Packtool

binary, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
sets = json.loads(pathlib.Path(os.environ.get("DATASETS", "Benchmarks/datasets.json")).read_text())["sets"]
data, cache = pathlib.Path(".cache/datasets").resolve(), pathlib.Path(".cache/bench-wire")
cache.mkdir(parents=True, exist_ok=True)
relay = pathlib.Path("Tests/Tools/counting_relay.py").resolve()
stamp = hashlib.sha256(binary.read_bytes()).hexdigest()[:12]


def counted(tool, folder, port):
    """What one update costs, and the bytes of the files that it brought."""
    log = folder / "wire.json"
    process = subprocess.Popen([sys.executable, relay, str(port), str(log)], stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().strip()
        tool.expect(folder, "client", "update", "--store", "device", "--channel", "beta", "--root", ".packtool/root.json",
                    "--registry", url)
        tool.expect(folder, "client", "start", "--store", "device", "--package", "app")
    finally:
        process.kill()
        process.wait()
    result = json.loads(log.read_text())
    paths = [line.split(" ")[1] for line in result["requests"]]
    view = folder / ".packtool/registry/view"
    content = sum((view / path[1:]).stat().st_size for path in paths
                  if path.startswith(("/patches/", "/objects/", "/targets/manifests/")) and (view / path[1:]).exists())
    return {"requests": len(paths), "up": result["up"], "down": result["down"], "content": content, "paths": paths}


def measure(versions):
    """The cost of each update of a set, one after the other on one device."""
    results = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        tool, folder = Packtool(binary, work), work / "app"
        folder.mkdir()
        tool.expect(folder, "init", "--template", "config")
        _, port, said = tool.serving(folder, "serve")
        if not port:
            sys.exit(said.read_text())
        try:
            for number, version in enumerate(versions):
                tool.expect(folder, "build", str(version), "--package", "app", "--package-version", f"1.{number}.0",
                            "--out", "packages", "--quiet")
                tool.expect(folder, "publish", f"packages/app-1.{number}.0.zip", "--channel", "beta", "--quiet")
                cost = counted(tool, folder, port)
                if number:
                    results.append(cost)
        finally:
            tool.stop()
    return results


def known(name, before, after, key):
    """A figure of scripts/bench-update.sh."""
    for file in pathlib.Path(".cache/bench-update").glob(f"{name} {before} {after} *.json"):
        if (value := json.loads(file.read_text()) or {}).get(key):
            return value[key]
    return None


lines = ["| build | updates | requests | up | down | of it manifests and content | changed files, zip | missing files, brotli |",
         "| --- | --: | --: | --: | --: | --: | --: | --: |"]
sums = [0] * 5
for name in wanted or list(sets):
    versions = [v for v in sets[name]["versions"] if (data / name / v).is_dir()]
    kept = cache / f"{name} {stamp}.json"
    if not kept.exists():
        kept.write_text(json.dumps(measure([data / name / v for v in versions])))
    results = json.loads(kept.read_text())
    if not results:
        continue
    row = [len(results), *(sum(r[key] for r in results) for key in ("requests", "up", "down", "content"))]
    sums = [a + b for a, b in zip(sums, row)]
    others = []
    for key in ("changed", "brotli"):
        found = [known(name, a, b, key) for a, b in zip(versions, versions[1:])]
        others.append(f"{sum(filter(None, found)):,}" if any(found) else "")
    lines.append(f"| {name} | " + " | ".join(f"{n:,}" for n in row) + f" | {others[0]} | {others[1]} |")
    print(lines[-1], file=sys.stderr, flush=True)
lines.append("| all | " + " | ".join(f"{n:,}" for n in sums) + " | | |")
table = "\n".join(lines)
print(table)
if os.environ.get("REPORT") == "1":
    subprocess.run(["Benchmarks/report.py", "wire"], input=table.encode(), check=True)
PYTHON
