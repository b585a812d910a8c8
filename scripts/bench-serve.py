#!/usr/bin/env python3
"""packtool serve beside nginx on the same view and the same loopback: an idle check (304), a channel file, a manifest, and zips of 1.4 and
5 MB, plain and by TLS, with 32 and 512 connections, warm and cold. Prints tables; with REPORT=1 writes them into docs/BENCHMARKS.md.
Ends with 1 where a bar is missed.

    scripts/bench-serve.py [SECONDS]        of each load; PACKTOOL names the binary, ROUNDS=3 how often, ONLY=zip5,manifest some rows

Warm is `wrk` on one file, in turn with nginx, and the medians of the rounds. Cold is a server that was just started and files that the
system was made to forget, 2,048 requests in all, by
`h2load --h1`, every connection in the same order of files. Needs root. Small files by TLS with 512 connections are measured once more,
by `h2load`, without what begins in the first half second: a client that is busy with 512 handshakes reads answers late. Small files are
measured once more with a core and one thread for the servers, and a core for `wrk`: threads that share a core wait for one another.
SOAK=1 adds ten minutes for the memory."""
import atexit
import contextlib
import os
import pathlib
import re
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKTOOL = os.environ.get("PACKTOOL", str(ROOT / ".build/bin/packtool"))
SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 4
ROUNDS = int(os.environ.get("ROUNDS", "3"))
PORTS = {("nginx", "plain"): 18799, ("nginx", "TLS"): 18797, ("packtool", "plain"): 18798, ("packtool", "TLS"): 18796}
CONNECTIONS = [32, 512]
RATE, P99 = 1.0, 1.2
STATUS = {"idle": 304}
KINDS = {"idle": "idle check, 304", "channel": "channel file", "manifest": "manifest", "zip1": "1.4 MB zip", "zip5": "5 MB zip"}
# Requests of a cold row.
COLD = 2048
# Packages. The larger zips are fewer.
COUNTS = {"zip1": 64, "zip5": 16}


def run(folder, *arguments):
    subprocess.run([str(argument) for argument in arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def registry(folder):
    """A registry with many packages, and the files of each kind."""
    zips = []
    for kind, size in [("zip1", 1_400_000), ("zip5", 5_000_000)]:
        for number in range(COUNTS[kind]):
            site = folder / "site"
            shutil.rmtree(site, ignore_errors=True)
            site.mkdir()
            (site / "index.html").write_text("<!doctype html><title>bench</title>")
            (site / "media.bin").write_bytes(os.urandom(size))
            # A manifest of some 20 kB.
            for page in range(100 if kind == "zip1" else 0):
                (site / f"page-{page}.js").write_text(f"show({page}, {number});\n" * 3)
            run(folder, PACKTOOL, "build", "site", "--package", f"{kind}-{number}", "--package-version", "1.0.0", "--out", "packages",
                "--quiet")
            zips.append(f"packages/{kind}-{number}-1.0.0.zip")
    # After the builds: the settings that it writes have a budget for mobile networks.
    run(folder, PACKTOOL, "init", "--app", "bench")
    for start in range(0, len(zips), 20):
        run(folder, PACKTOOL, "publish", *zips[start:start + 20], "--channel", "stable", "--quiet")
    view = folder / ".packtool/registry/view"
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)

    def paths(pattern):
        found = sorted("/" + str(file.relative_to(view)) for file in view.glob(pattern))
        return sorted(found, key=lambda path: (view / path[1:]).stat().st_mtime)

    files = {
        "idle": ["/metadata/timestamp.json"], "channel": paths("targets/channels/*.json")[-1:],
        "manifest": paths("targets/manifests/zip1-*/*.json"), "zip1": paths("packages/zip1-*.zip"), "zip5": paths("packages/zip5-*.zip")}
    if missing := [kind for kind in files if not files[kind]]:
        sys.exit(f"the registry has no file for {missing[0]}")
    return view, files


def certificate(folder):
    run(folder, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "certificate.pem")


def nginx(folder, view, workers):
    (folder / f"nginx-{workers}.conf").write_text(f"""
        worker_processes {workers}; pid {folder}/nginx.pid; error_log {folder}/nginx.log; daemon off; user root;
        events {{ worker_connections 2048; }}
        http {{
            include /etc/nginx/mime.types; sendfile on; tcp_nopush on; access_log off; open_file_cache max=1000;
            keepalive_requests 1000000000;
            server {{
                listen 127.0.0.1:{PORTS["nginx", "plain"]}; listen 127.0.0.1:{PORTS["nginx", "TLS"]} ssl;
                ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
                root {view};
            }}
        }}""")
    return [shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(folder / f"nginx-{workers}.conf")]


class Servers:
    """Both servers, one process each, with one transport at a time: a registry has one packtool serve."""

    def __init__(self, folder, view):
        self.folder = folder
        serve = [PACKTOOL, "serve", "--quiet", "--registry", str(folder / ".packtool/registry"), "--no-dashboard"]
        tls = ["--tls-certificate", str(folder / "certificate.pem"), "--tls-key", str(folder / "key.pem")]
        # With a core for itself, a server has one thread.
        self.proxies = {None: nginx(folder, view, 2), 1: nginx(folder, view, 1)}
        self.commands = {
            "plain": [*serve, "--port", str(PORTS["packtool", "plain"])],
            "TLS": [*serve, "--port", str(PORTS["packtool", "TLS"]), *tls]}
        self.running = {}
        self.tags = {}
        atexit.register(lambda: [self.stop(name) for name in list(self.running)])
        for name in ["nginx", "packtool"]:
            self.start(name, "plain")
            with urllib.request.urlopen(url(name, "plain", "/metadata/timestamp.json")) as answer:
                self.tags[name] = answer.headers["ETag"]

    def start(self, name, transport, core=None):
        """Starts it anew, on all cores, or on one with one thread that answers."""
        self.stop(name)
        command = on(core, self.proxies[core] if name == "nginx" else self.commands[transport])
        environment = os.environ if core is None else {**os.environ, "NIO_SINGLETON_GROUP_LOOP_COUNT": "1"}
        self.running[name] = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=subprocess.DEVNULL)
        for _ in range(400):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", PORTS[name, transport]), 1).close()
                return
            time.sleep(0.05)
        sys.exit(f"{name} does not start: {command}")

    def check(self, name, transport):
        """Whether the idle check is answered by 304: wrk would not tell."""
        self.start(name, transport)
        context = ssl.create_default_context(cafile=self.folder / "certificate.pem")
        request = urllib.request.Request(
            url(name, transport, "/metadata/timestamp.json"), headers={"If-None-Match": self.tags[name]})
        try:
            status = urllib.request.urlopen(request, context=context).status
        except urllib.error.HTTPError as error:
            status = error.code
        if status != 304:
            sys.exit(f"{name}, {transport}: {status} in place of 304")

    def stop(self, name):
        if process := self.running.pop(name, None):
            process.terminate()
            process.wait()

    def memory(self, field="VmRSS"):
        status = pathlib.Path(f"/proc/{self.running['packtool'].pid}/status").read_text()
        return int(re.search(field + r":\s+(\d+)", status).group(1)) / 1000


def url(name, transport, path):
    return f"{'https' if transport == 'TLS' else 'http'}://127.0.0.1:{PORTS[name, transport]}{path}"


def on(core, command):
    return command if core is None else ["taskset", "-c", str(core), *command]


def warm(servers, name, transport, kind, path, connections, core=None):
    """Requests a second, and p99 in ms."""
    header = ["-H", f"If-None-Match: {servers.tags[name]}"] if kind == "idle" else []
    wrk = ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "--timeout", "30s", "--latency", *header, url(name, transport, path)]
    text = subprocess.run(on(core, wrk), check=True, capture_output=True, text=True).stdout
    number, unit = re.search(r"99%\s+([0-9.]+)(us|ms|s)", text).groups()
    if "Non-2xx" in text or "Socket errors" in text:
        sys.exit(f"{name} {path}: {text}")
    return float(re.search(r"Requests/sec:\s+([0-9.]+)", text).group(1)), float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def h2load(servers, name, transport, kind, paths, connections, *options):
    """Start, status and duration of each request, in µs."""
    header = ["-H", f"if-none-match: {servers.tags[name]}"] if kind == "idle" else []
    folder = servers.folder
    (folder / "urls").write_text("".join(url(name, transport, path) + "\n" for path in paths))
    log = folder / "h2load.log"
    log.unlink(missing_ok=True)
    subprocess.run(
        ["h2load", "--h1", "-t1", f"-c{connections}", *options, *header, "-i", str(folder / "urls"), f"--log-file={log}"],
        check=True, capture_output=True)
    rows = [[int(number) for number in line.split("\t")[:3]] for line in log.read_text().splitlines()]
    if any(status != STATUS.get(kind, 200) for _, status, _ in rows):
        sys.exit(f"{name}, {kind} by h2load: {set(row[1] for row in rows)}")
    return rows


def summary(rows):
    """Requests a second, and p99 in ms."""
    first, last = min(row[0] for row in rows), max(row[0] + row[2] for row in rows)
    times = sorted(row[2] for row in rows)
    return len(rows) / ((last - first) / 1e6), times[int(len(times) * 0.99)] / 1000


def steady(servers, name, kind, path, connections):
    """As warm by TLS, without the requests that began in the first half second."""
    rows = h2load(servers, name, "TLS", kind, [path], connections, f"-D{SECONDS}")
    start = min(row[0] for row in rows) + 500_000
    return summary([row for row in rows if row[0] >= start])


def cold(servers, name, transport, kind, paths, connections):
    """As warm, of a server that has answered nothing yet."""
    servers.stop(name)
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n")
    servers.start(name, transport)
    rows = h2load(servers, name, transport, kind, paths, connections, f"-n{COLD}")
    if len(rows) != COLD:
        sys.exit(f"{name}, cold {kind}: {len(rows)} of {COLD} answers")
    return summary(rows)


def table(results, kinds, state):
    """Lines, and whether all bars are met."""
    lines = ["| | connections | nginx: 1/s, p99 | packtool: 1/s, p99 | rate | p99 |", "| --- | --: | --: | --: | --: | --: |"]
    isMet = True
    for kind in kinds:
        for transport in ["plain", "TLS"]:
            for connections in CONNECTIONS:
                if (state, kind, transport, connections, "nginx") not in results:
                    continue
                theirs, ours = (
                    [statistics.median(column) for column in zip(*results[state, kind, transport, connections, name])]
                    for name in ("nginx", "packtool"))
                rate, p99 = ours[0] / theirs[0], ours[1] / theirs[1]
                isMet = isMet and rate >= RATE and p99 <= P99
                mark = [f"**{rate:.2f}**" if rate < RATE else f"{rate:.2f}", f"**{p99:.2f}**" if p99 > P99 else f"{p99:.2f}"]
                lines.append(
                    f"| {KINDS[kind]}, {transport} | {connections} | {theirs[0]:,.0f}, {theirs[1]:.2f} ms | {ours[0]:,.0f}, {ours[1]:.2f} ms "
                    f"| {mark[0]} | {mark[1]} |")
    return lines, isMet


def main():
    kinds = os.environ.get("ONLY", ",".join(KINDS)).split(",")
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        sys.exit(f"ONLY: there is no {unknown[0]}, there are {', '.join(KINDS)}")
    if os.geteuid() != 0:
        sys.exit("run it as root: the cold rows make the system forget files")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        certificate(folder)
        view, paths = registry(folder)
        servers, results, peaks = Servers(folder, view), {}, {}
        for name, transport in PORTS:
            servers.check(name, transport)
        try:
            for number in range(ROUNDS):
                for transport in ["TLS", "plain"]:
                    each = [(kind, connections, name) for kind in kinds for connections in CONNECTIONS for name in ("nginx", "packtool")]
                    for kind, connections, name in each:
                        results.setdefault(("cold", kind, transport, connections, name), []).append(
                            cold(servers, name, transport, kind, paths[kind], connections))
                    for kind, connections, name in each:
                        results.setdefault(("warm", kind, transport, connections, name), []).append(
                            warm(servers, name, transport, kind, paths[kind][0], connections))
                    peaks[transport] = servers.memory("VmHWM")
                    small = [row for row in each if not row[0].startswith("zip")]
                    for kind, connections, name in small if transport == "TLS" else []:
                        if connections == 512:
                            results.setdefault(("steady", kind, transport, connections, name), []).append(
                                steady(servers, name, kind, paths[kind][0], connections))
                    for name in ("nginx", "packtool"):
                        servers.start(name, transport, core=1)
                    for kind, connections, name in small:
                        results.setdefault(("apart", kind, transport, connections, name), []).append(
                            warm(servers, name, transport, kind, paths[kind][0], connections, core=0))
                print(f"round {number + 1} of {ROUNDS} done", file=sys.stderr, flush=True)
            memory = f"Most memory of the server in a round of the warm rows: plain {peaks['plain']:.0f} MB, TLS {peaks['TLS']:.0f} MB."
            if os.environ.get("SOAK") == "1":
                servers.start("packtool", "plain")
                subprocess.run(["wrk", "-t1", "-c32", "-d600s", url("packtool", "plain", paths["idle"][0])], check=True, capture_output=True)
                memory += f" After ten more minutes of the first row: {servers.memory():.0f} MB."
        finally:
            for server in list(servers.running):
                servers.stop(server)
    warmLines, isWarmMet = table(results, kinds, "warm")
    coldLines, isColdMet = table(results, kinds, "cold")
    steadyLines, _ = table(results, kinds, "steady")
    apartLines, _ = table(results, kinds, "apart")
    text = "\n".join([
        f"Warm: `wrk -t1 -d{SECONDS}s --latency`, medians of {ROUNDS} runs in turn; nginx with 2 workers, sendfile, open_file_cache and no access "
        f"log; `packtool serve --quiet`. Bars: rate ≥ {RATE:.1f}, p99 ≤ {P99:.1f}; what misses one is bold.\n", *warmLines,
        "\nThe same by `h2load --h1`, without the requests that began in the first half second, in which the client makes its 512 handshakes.\n",
        *steadyLines,
        "\nThe same by `wrk` with a core and one thread for the server, and a core for `wrk`.\n", *apartLines,
        "\nCold: servers just started, files not in memory; `h2load --h1`.\n", *coldLines, "\n" + memory])
    print(text)
    if os.environ.get("REPORT") == "1":
        subprocess.run([ROOT / "Benchmarks/report.py", "serve"], input=text, text=True, check=True)
    return 0 if isWarmMet and isColdMet else 1


sys.exit(main())
