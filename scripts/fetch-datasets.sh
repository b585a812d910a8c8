#!/usr/bin/env bash
# Fetches the production web builds of Benchmarks/datasets.json into .cache/datasets/SET/VERSION/…
#
#   scripts/fetch-datasets.sh [SET...]        all sets if none is named
#
# DATASETS names another list of builds.
# Each build comes out of a Python wheel (pip download, no code of it is run); the wheel itself is not kept.
# What is there already is not fetched again, so an interrupted run continues.
set -euo pipefail
cd "$(dirname "$0")/.."

exec python3 - "$@" <<'PYTHON'
import json, os, pathlib, re, shutil, subprocess, sys, tempfile, zipfile

cache = pathlib.Path(".cache/datasets")
sets = json.loads(pathlib.Path(os.environ.get("DATASETS", "Benchmarks/datasets.json")).read_text())["sets"]
wanted = sys.argv[1:] or list(sets)
failed = []
for name in wanted:
    if name not in sets:
        sys.exit(f"there is no set {name!r}; there are: {', '.join(sets)}")
    entry = sets[name]
    exclude = re.compile(entry["exclude"]) if "exclude" in entry else None
    for version in entry["versions"]:
        folder = cache / name / version
        if folder.is_dir():
            continue
        with tempfile.TemporaryDirectory() as download:
            # Some wheels want a newer Python than the one that runs this; only their files are of interest.
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                       "--python-version", "3.13", "--dest", download, f"{entry['package']}=={version}"]
            if subprocess.run(command).returncode != 0:
                failed.append(f"{name} {version}")
                continue
            partial = cache / name / f".{version}.partial"
            shutil.rmtree(partial, ignore_errors=True)
            count = size = 0
            with zipfile.ZipFile(next(pathlib.Path(download).glob("*.whl"))) as wheel:
                for info in wheel.infolist():
                    path = info.filename
                    if info.is_dir() or not path.startswith(entry["root"]):
                        continue
                    path = path[len(entry["root"]):]
                    if path.endswith(".map") or (exclude and exclude.search(path)):
                        continue
                    target = partial / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(wheel.read(info))
                    count += 1
                    size += info.file_size
            if count == 0:
                failed.append(f"{name} {version} (no files under {entry['root']})")
                continue
            partial.rename(folder)
            print(f"{name} {version}: {count} files, {size / 1e6:.1f} MB", file=sys.stderr)
if failed:
    sys.exit("not fetched: " + ", ".join(failed))
PYTHON
