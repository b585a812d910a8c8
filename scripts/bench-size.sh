#!/usr/bin/env bash
# Compares the packages of public web builds (Benchmarks/apps.json, and the newest of Benchmarks/datasets.json) with what `zip -9 -r` makes of the same files. A package holds one file
# more, its manifest (pack.json), so the bar is the size without that entry.
#
#   scripts/bench-size.sh [SET...]        PACKTOOL names the binary, else .build/bin/packtool
#
# Prints a table; with REPORT=1 writes it into docs/BENCHMARKS.md.
set -euo pipefail
cd "$(dirname "$0")/.."
lists=(Benchmarks/apps.json Benchmarks/datasets.json)
[ $# -gt 0 ] || for list in "${lists[@]}"; do DATASETS=$list scripts/fetch-datasets.sh; done
status=0
table=$(
    python3 - "${PACKTOOL:-$PWD/.build/bin/packtool}" "${lists[@]}" "$@" <<'PYTHON'
import json, math, pathlib, subprocess, sys, tempfile, zipfile

sys.path.insert(0, "Benchmarks")
from public_builds import IGNORED, with_page

binary, (apps, builds), wanted = sys.argv[1], sys.argv[2:4], sys.argv[4:]
sets = {name: entry for list in (builds, apps) for name, entry in json.loads(pathlib.Path(list).read_text())["sets"].items()}
data = pathlib.Path(".cache/datasets").resolve()
MANIFEST = "pack.json"


def entry_size(info):
    """What an entry takes in the zip: its bytes, a header there and one in the directory (APPNOTE.TXT 4.3.7 and 4.3.12)."""
    return info.compress_size + 30 + 46 + 2 * len(info.filename.encode())


def zipped(tree, *options):
    """The size of a folder's zip."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "tree.zip"
        subprocess.run(["zip", "-q", "-9", *options, "-r", file, "."], cwd=tree, check=True)
        return file.stat().st_size


def measure(tree):
    """The sizes of a build: its package, the manifest's entry, zip's archive, and zip's without folders and extra fields."""
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "packtool.json").write_text(
            json.dumps({"package": "app", "version": "1.0.0", "audit": {name: "off" for name in IGNORED}}))
        command = [binary, "build", with_page(tree, work / "site"), "--out", "out", "--no-cache", "--allow-secrets", "--whole-project",
                   "--quiet"]
        subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        package = work / "out/app-1.0.0.zip"
        # Some files are left out of a package: zip gets the same ones.
        with zipfile.ZipFile(package) as archive:
            manifest = entry_size(archive.getinfo(MANIFEST))
            archive.extractall(work / "tree")
        (work / "tree" / MANIFEST).unlink()
        return package.stat().st_size, manifest, zipped(work / "tree"), zipped(work / "tree", "-X", "-D")


rows = {name: measure(data / name / entry["versions"][-1]) for name, entry in sorted(sets.items()) if not wanted or name in wanted}
print("| build | `zip -9 -r` | packtool | of zip | the manifest of it | of zip without it | of `zip -9 -X -D -r` without it |")
print("| --- | --: | --: | --: | --: | --: | --: |")


def row(name, size, manifest, plain, bare):
    print(f"| {name} | {plain:,} | {size:,} | {size / plain:.4f} | {manifest:,} | {(size - manifest) / plain:.4f} "
          f"| {(size - manifest) / bare:.4f} |")


for name, sizes in rows.items():
    row(name, *sizes)
row("**all**", *(sum(sizes) for sizes in zip(*rows.values())))
worst = max((size - manifest) / plain for size, manifest, plain, _ in rows.values())
print(f"\nThe largest without its manifest has {math.ceil(worst * 10_000) / 10_000:.4f} of zip's; bar ≤ 1.00.")
sys.exit(0 if worst <= 1 else 1)
PYTHON
) || status=$?
echo "$table"
if [ "${REPORT:-0}" = 1 ]; then echo "$table" | Benchmarks/report.py size; fi
[ "$status" = 0 ]
