#!/usr/bin/env bash
# What making and applying patches takes: time and peak memory of the encoder on 40 MB of changed content, and of the decoder beside
# unzip of the full zip, with the new manifest known and by its skeleton. Real builds put together until some 40 MB are new. Prints a
# table; with REPORT=1 writes it into docs/BENCHMARKS.md.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/fetch-datasets.sh bokeh streamlit kedro-viz evidently gradio
swift build -c release --static-swift-stdlib --package-path Benchmarks --product patch-sizes >&2
exec python3 - Benchmarks/.build/release/patch-sizes <<'PYTHON'
import hashlib, json, os, pathlib, resource, shutil, subprocess, sys, tempfile, time

tool = os.path.abspath(sys.argv[1])
cache = pathlib.Path(".cache/datasets")


def run(*command, **options):
    """Wall seconds and peak resident MB."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command}: status {status}")
    return output, time.monotonic() - start, usage.ru_maxrss / 1000


def lay(parts, root):
    for name, version in parts:
        shutil.copytree(cache / name / version, root / name)


cases = [
    ("bokeh", [("bokeh", "3.8.2", "3.9.0")]),
    ("streamlit", [("streamlit", "1.66.1", "1.67.0")]),
    ("kedro-viz", [("kedro-viz", "12.3.0", "12.4.0")]),
    ("all of these and evidently, two steps", [
        ("bokeh", "3.8.2", "3.9.0"), ("streamlit", "1.66.1", "1.67.0"), ("kedro-viz", "12.2.0", "12.4.0"),
        ("evidently", "0.7.19", "0.7.21"), ("gradio", "6.28.0", "6.31.0")]),
]
lines = ["| changed set | old, new MB | patch | making: wall, peak | applying: wall, peak | by the skeleton: bytes, wall, peak | "
         "`unzip` of the full zip: wall | applying / unzip | by the skeleton / unzip |",
         "| --- | --: | --: | --: | --: | --: | --: | --: | --: |"]
faults = []
for label, parts in cases:
    parts = [p for p in parts if (cache / p[0] / p[1]).is_dir() and (cache / p[0] / p[2]).is_dir()]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        lay([(p[0], p[1]) for p in parts], folder / "a")
        lay([(p[0], p[2]) for p in parts], folder / "b")
        output, making, making_peak = run(tool, "make", folder / "a", folder / "b", folder / "patch")
        facts = json.loads(output)
        subprocess.run(["zip", "-9", "-q", "-X", "-r", folder / "full.zip", "."], cwd=folder / "b", check=True)
        # What a device has: the manifests, and its objects under their digests.
        run(tool, "store", folder / "a", folder / "b", folder / "store")
        # In turn and into new folders, so that both meet the same neighbours and the same disk.
        applied, updated, unzipped = [], [], []
        for turn in range(7):
            applied.append(run(tool, "apply", folder / "store", folder / "patch", folder / f"out{turn}"))
            updated.append(run(tool, "update", folder / "store", folder / "patch", folder / f"updated{turn}"))
            unzipped.append(run("unzip", "-q", "-o", folder / "full.zip", "-d", folder / f"unzipped{turn}"))
        (apply_time, apply_peak), (update_time, update_peak) = (
            (min(f[1] for f in each), max(f[2] for f in each)) for each in (applied, updated))
        unzip_time = min(f[1] for f in unzipped)
        changed = (facts["lost"] + facts["new"]) / 1e6
        lines.append(f"| {label} | {facts['lost'] / 1e6:.1f}, {facts['new'] / 1e6:.1f} | {facts['patch']:,} | "
                     f"{making:.1f} s, {making_peak:.0f} MB | {apply_time:.2f} s, {apply_peak:.0f} MB | "
                     f"{os.path.getsize(folder / 'store' / 'skeleton'):,}, {update_time:.2f} s, {update_peak:.0f} MB | "
                     f"{unzip_time:.2f} s | {apply_time / unzip_time:.2f} | {update_time / unzip_time:.2f} |")
        print(lines[-1], file=sys.stderr, flush=True)
        if facts["new"] > 30e6 and (making > 90 or making_peak > 1500):
            faults.append(f"{label}: making took {making:.0f} s and {making_peak:.0f} MB")
        for way, seconds, peak in (("applying", apply_time, apply_peak), ("applying by the skeleton", update_time, update_peak)):
            if peak > changed + 32:
                faults.append(f"{label}: {way} took {peak:.0f} MB for {changed:.0f} MB of changed content")
            if seconds > unzip_time:
                faults.append(f"{label}: {way} took {seconds:.2f} s, unzip {unzip_time:.2f} s")
lines += ["", "Bars: 40 MB made in 90 s and 1,500 MB; applied in at most the time of unzip, and in the changed bytes plus 32 MB."]
table = "\n".join(lines)
print(table)
if os.environ.get("REPORT") == "1":
    subprocess.run(["Benchmarks/report.py", "patch"], input=table.encode(), check=True)
sys.exit("\n".join(faults) or 0)
PYTHON
