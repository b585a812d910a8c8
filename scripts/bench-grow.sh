#!/usr/bin/env bash
# Whether answers grow with what a registry holds: 10, 100 and 1,000 packages of 50 versions each. An idle check, an update decision,
# a metadata answer, and one more publication. Prints a table; with REPORT=1 writes it into docs/BENCHMARKS.md.
#   scripts/bench-grow.sh        PACKTOOL names the binary
#
# Publishing 50,000 versions one by one would take hours, so their rows are put into the database directly; everything that is
# measured is the program's own.
set -euo pipefail
cd "$(dirname "$0")/.."
packtool=${PACKTOOL:-$PWD/.build/bin/packtool}
exec python3 - "$packtool" <<'PYTHON'
import hashlib, json, os, pathlib, re, shutil, signal, sqlite3, subprocess, sys, tempfile, time

packtool = sys.argv[1]


def run(folder, *command):
    start = time.monotonic()
    subprocess.run([packtool, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def fill(folder, packages):
    db = sqlite3.connect(folder / ".packtool/registry/registry.sqlite")
    now = "2026-01-01 00:00:00.000"
    manifests, versions, releases, derived = [], [], [], []
    for package in range(packages):
        name = f"filler-{package}"
        for version in range(50):
            text = f"1.{version}.0"
            manifest = json.dumps({
                "entry": "index.html", "files": {"index.html": {
                    "sha256": hashlib.sha256(f"{package}.{version}".encode()).hexdigest(), "size": 5}},
                "format": 1, "package": name, "version": text}, separators=(",", ":"), sort_keys=True).encode()
            digest = hashlib.sha256(manifest).hexdigest()
            manifests.append((digest, name, text, manifest, 1, 1, 5, now, "bench"))
            versions.append((name, text, digest, now, "bench"))
            releases.append((f"f{package}-{version}", "stable", name, digest, 100, now, "bench",
                             None if version == 49 else now))
            derived += [(digest, "", kind, None) for kind in ("archive", "full")]
        for version in range(44, 49):
            derived += [(versions[-1][2], versions[-50 + version][2], kind, None) for kind in ("patch", "manifest")]
    with db:
        db.executemany("INSERT INTO manifest (digest, package, version, bytes, hasEntry, fileCount, size, uploaded, "
                       "uploadedBy) VALUES (?,?,?,?,?,?,?,?,?)", manifests)
        db.executemany("INSERT INTO version (package, version, manifest, published, publishedBy) VALUES (?,?,?,?,?)",
                       versions)
        db.executemany("INSERT INTO release (id, channel, package, manifest, percent, created, createdBy, removed) "
                       "VALUES (?,?,?,?,?,?,?,?)", releases)
        db.executemany("INSERT OR IGNORE INTO derived (target, base, kind, size) VALUES (?,?,?,?)", derived)
    db.close()


def load(url, script=None, header=None, seconds=5):
    command = ["wrk", "-t1", "-c16", f"-d{seconds}s", "--latency"]
    if script:
        command += ["-s", script]
    if header:
        command += ["-H", header]
    text = subprocess.run(command + [url], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in text and not header:
        sys.exit(f"{url}: {text}")
    number, unit = re.search(r"99%\s+([0-9.]+)(us|ms|s)", text).groups()
    return float(re.search(r"Requests/sec:\s+([0-9.]+)", text).group(1)), \
        float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


rows = []
for packages in (10, 100, 1000):
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "site").mkdir()
    def publish(version):
        (folder / "site/index.html").write_text(f"<!doctype html><title>{version}</title>")
        run(folder, "build", "site", "--package", "shop", "--package-version", version, "--out", "packages", "--quiet")
        return run(folder, "publish", f"packages/shop-{version}.zip", "--channel", "stable", "--no-wait")
    publish("1.0.0")
    fill(folder, packages)
    publish("1.1.0")
    again = min(publish("1.2.0"), publish("1.3.0"))
    lua = folder / "decide.lua"
    lua.write_text(f"""
        local n = 0
        request = function()
            n = n + 1
            return wrk.format("GET", "/v1/update?channel=stable&package=filler-" .. (n * 7919 % {packages}) .. "&device=d" .. n)
        end""")
    server = subprocess.Popen([packtool, "serve", "--port", "18797", "--quiet"], cwd=folder, stdout=subprocess.PIPE)
    server.stdout.readline()
    time.sleep(1)
    base = "http://127.0.0.1:18797"
    view = folder / ".packtool/registry/view"
    tag = hashlib.sha256((view / "metadata/timestamp.json").read_bytes()).hexdigest()
    role = sorted((view / "metadata").glob("*.package.shop.json"), key=lambda p: int(p.name.split(".")[0]))[-1].name
    idle = load(f"{base}/metadata/timestamp.json", header=f'If-None-Match: "{tag}"')
    decide = load(f"{base}/v1/update", script=str(lua))
    metadata = load(f"{base}/metadata/{role}")
    resident = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{server.pid}/status").read()).group(1)) // 1000
    server.send_signal(signal.SIGTERM)
    server.wait()
    shutil.rmtree(folder)
    rows.append((packages, idle, decide, metadata, again, resident))
    print(rows[-1], file=sys.stderr, flush=True)

lines = ["| packages × 50 versions | idle check, requests/s (p99) | decision, requests/s (p99) | metadata, requests/s (p99) | "
         "one more publication | server's memory |", "| --: | --: | --: | --: | --: | --: |"]
for packages, idle, decide, metadata, again, resident in rows:
    lines.append("| {:,} | {:,.0f} ({:.1f} ms) | {:,.0f} ({:.1f} ms) | {:,.0f} ({:.1f} ms) | {:.2f} s | {} MB |".format(
        packages, *idle, *decide, *metadata, again, resident))
table = "\n".join(lines)
print(table)
if os.environ.get("REPORT") == "1":
    subprocess.run(["Benchmarks/report.py", "grow"], input=table.encode(), check=True)
PYTHON
