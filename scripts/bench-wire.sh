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
import hashlib, json, os, pathlib, shutil, subprocess, sys, tempfile

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


def with_page(version, folder):
    """A copy of a build in which there is a page to open: some builds have their pages in a server's templates."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(version, folder, copy_function=shutil.copyfile)
    if not (folder / "index.html").exists():
        (folder / "index.html").write_text("<!doctype html><title>A page</title>\n")
    return folder


def measure(versions):
    """The cost of each update of a set, one after the other on one device."""
    results = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        tool, folder = Packtool(binary, work), work / "app"
        folder.mkdir()
        tool.expect(folder, "init", "--template", "config")
        # Builds of others: what they lack is not the question here.
        levels = {name: "off" for name in ("missing-file", "name-differs", "outside", "secret", "risky-name", "service-worker", "no-confirm")}
        (folder / "packtool.json").write_text(json.dumps({"package": "app", "version": "1.0.0", "audit": levels}))
        _, port, said = tool.serving(folder, "serve")
        if not port:
            sys.exit(said.read_text())
        try:
            for number, version in enumerate(versions):
                tool.expect(folder, "build", str(with_page(version, folder / "dist")), "--package", "app", "--package-version", f"1.{number}.0",
                            "--out", "packages", "--whole-project", "--quiet")
                tool.expect(folder, "publish", f"packages/app-1.{number}.0.zip", "--channel", "beta", "--quiet")
                cost = counted(tool, folder, port)
                if number:
                    results.append(cost)
        finally:
            tool.stop()
    return results


# Bytes of header fields of one request and its answer, as many as ours have.
HEADS = 450


def files(folder):
    """What a package holds: no compressed copies beside their originals (packtool build leaves them out)."""
    found = {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}
    return {n: p for n, p in found.items()
            if not any(n.endswith(e) and n[:-len(e)] in found for e in (".gz", ".br", ".zst"))}


def others(before, after):
    """What the other protocols send for an update, without header fields: requests and bytes of each."""
    old, new = files(before), files(after)
    digest = {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in [*old.values(), *new.values()]}
    changed = [n for n in new if n not in old or digest[old[n]] != digest[new[n]]]
    had = {digest[p] for p in old.values()}
    missing = {digest[p]: p for p in new.values() if digest[p] not in had}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in changed:
            (folder / "new" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "new" / name).write_bytes(new[name].read_bytes())
        (folder / "new").mkdir(exist_ok=True)
        (folder / "new/hotcodepush.json").write_text(json.dumps({"deletedFiles": [n for n in old if n not in new]}))
        subprocess.run(["zip", "-9", "-X", "-q", "-r", folder / "changed.zip", "."], cwd=folder / "new", check=True)
        brotli = 0
        for p in missing.values():
            subprocess.run(["brotli", "-f", "-q", "11", "--lgwin=24", "-o", folder / "file.br", p], check=True)
            brotli += (folder / "file.br").stat().st_size
        listed = json.dumps({"version": "1.1.0", "manifest": [
            {"file_name": n, "file_hash": digest[p], "download_url": f"https://files.example.com/{digest[p]}/{n}.br"}
            for n, p in new.items()]}, separators=(",", ":"))
        # An answer of CodePush: fifteen fields, of which the hash and the URL are the longest.
        return {"codepush": [2, 700 + (folder / "changed.zip").stat().st_size],
                "capgo": [1 + len(missing), 400 + len(listed) + brotli]}


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
