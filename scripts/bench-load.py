#!/usr/bin/env python3
"""What other clients notice of a registry under load, and the memory of its server: 500 slow connections, 4,300 connections of one
address, 10,000 failed tokens a minute, 32 largest bodies at once, and making patches. Prints a table, and on stderr what was counted
besides. Ends with 1 where a bar is missed.

    bench-load.py [PACKTOOL [SECONDS]]        SECONDS is the time of each load

The other clients are a process of their own: the delays are the server's, not those of the program that makes the load.
"""

import asyncio
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

ARGUMENTS = sys.argv[1:] if sys.argv[1:2] != ["observe"] else []
PACKTOOL = os.path.abspath(ARGUMENTS[0] if ARGUMENTS else ".build/bin/packtool")
SECONDS = float(ARGUMENTS[1]) if len(ARGUMENTS) > 1 else 10
PORT = 18797
# What was measured: what it is, the figure, and its bar.
rows = []
missed = []


def row(name, figure, bar=None, holds=True):
    rows.append(f"| {name} | {f'≤ {bar}' if bar else ''} | {figure}{'' if holds else ', **missed**'} |")
    if not holds:
        missed.append(name)


def run(folder, *arguments):
    return subprocess.run([PACKTOOL, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def status(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024


async def connect(address, buffer=None):
    return await asyncio.open_connection("127.0.0.1", PORT, local_addr=(address, 0))


async def ask(path, address="127.0.0.9", fields="", body=b"", method="GET"):
    reader, writer = await connect(address)
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{fields}"
    if body:
        head += f"Content-Length: {len(body)}\r\n"
    writer.write(head.encode() + b"\r\n" + body)
    try:
        await writer.drain()
        answer = await reader.read()
    except ConnectionError:
        answer = b""
    writer.close()
    return int(answer.split(b" ", 2)[1]) if answer else 0


async def others(token, end):
    """The delays of clients of another address: reads, decisions, and a valid token."""
    delays = []
    paths = ["/metadata/timestamp.json", "/v1/update?channel=stable&package=bench&device=d", "/health/ready", "/v1/tokens"]
    while time.monotonic() < end:
        for path in paths:
            start = time.monotonic()
            fields = f"Authorization: Bearer {token}\r\n" if path == "/v1/tokens" else ""
            code = await ask(path, fields=fields)
            delays.append(time.monotonic() - start if code == 200 else 60)
            await asyncio.sleep(0.005)
    return sorted(delays)


async def measure(name, token, load, bar=None):
    end = time.monotonic() + SECONDS
    tasks = [asyncio.create_task(task) for task in load(end)]
    await asyncio.sleep(min(1, SECONDS / 4))
    observer = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "observe", token, str(end - time.monotonic()), stdout=subprocess.PIPE)
    delays = json.loads((await observer.communicate())[0])
    for task in tasks:
        task.cancel()
    counts = await asyncio.gather(*tasks, return_exceptions=True)
    p99 = delays[int(len(delays) * 0.99)] * 1000
    done = sum(count for count in counts if isinstance(count, int))
    print(f"{name}: {len(delays)} requests of others" + (f"; {done} of the load" if done else ""), file=sys.stderr, flush=True)
    row(f"{name}: others' p99, ms", f"{p99:.0f}", bar, bar is None or p99 <= bar)


async def slow(address, end):
    writer = None
    while time.monotonic() < end:
        try:
            if writer is None:
                _, writer = await connect(address)
                writer.write(b"GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\nA: ")
            writer.write(b"x")
            await asyncio.sleep(0.5)
        except OSError:
            writer = None
            await asyncio.sleep(0.1)


async def held(address, end):
    while time.monotonic() < end:
        try:
            reader, _ = await connect(address)
            await reader.read()
        except OSError:
            pass
        await asyncio.sleep(1)


async def failing(address, end, rate):
    count = 0
    start = time.monotonic()
    while time.monotonic() < end:
        await ask("/v1/tokens", address, f"Authorization: Bearer ptk_{random.getrandbits(256):x}\r\n")
        count += 1
        await asyncio.sleep(max(0, start + count / rate - time.monotonic()))
    return count


async def bodies(token):
    body = b'{"manifest": "' + b"a" * ((16 << 20) - 40) + b'", "role": ""}'
    deep = b'{"role": [' + b"0," * ((8 << 20) - 20) + b"0]}"
    fields = f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    codes = await asyncio.gather(*[
        ask("/v1/versions", f"127.0.0.{10 + n}", fields, body if n % 2 else deep, "POST") for n in range(32)])
    return {code: codes.count(code) for code in sorted(set(codes))}


def site(folder, seed):
    random.seed(seed)
    words = [f"{random.getrandbits(40):x}" for _ in range(20_000)]
    os.makedirs(folder)
    (folder / "index.html").write_text(f"<!doctype html><title>{seed}</title>")
    for number in range(6):
        (folder / f"app{number}.js").write_text("\n".join(" ".join(random.choices(words, k=12)) for _ in range(60_000)))


async def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        site(folder / "site", 1)
        run(folder, "init", "--template", "config")
        run(folder, "build", "site", "--package", "bench", "--package-version", "1.0.0", "--out", "packages")
        run(folder, "publish", "packages/bench-1.0.0.zip", "--channel", "stable")
        token = json.loads(run(folder, "token", "create", "bench", "--admin", "--json"))["token"]
        server = subprocess.Popen(
            [PACKTOOL, "serve", "--port", str(PORT), "--quiet"], cwd=folder, stdout=subprocess.PIPE)
        try:
            server.stdout.readline()
            await measure("nothing else", token, lambda end: [])
            await measure("500 slow connections", token, lambda end: [slow("127.0.0.2", end) for _ in range(500)], 100)
            await measure(
                "4,300 connections of one address", token, lambda end: [held("127.0.0.3", end) for _ in range(4300)], 100)
            await measure("10,000 failed tokens a minute", token, lambda end: [failing("127.0.0.4", end, 10_000 / 60)], 100)
            codes = await bodies(token)
            high, then = status(server.pid, "VmHWM"), status(server.pid, "VmRSS")
            print(f"32 largest bodies: answers {codes}", file=sys.stderr, flush=True)
            row("32 largest bodies at once: high water, MB", f"{high:.0f}", 150, high <= 150)
            row("after them, in the same server: MB", f"{then:.0f}", 100, then <= 100)
            # Over HTTP, so that the server makes the patches.
            site(folder / "next", 2)
            run(folder, "build", "next", "--package", "bench", "--package-version", "2.0.0", "--out", "packages")
            os.environ["PACKTOOL_TOKEN"] = token
            run(folder, "publish", "packages/bench-2.0.0.zip", "--channel", "stable", "--registry", f"http://127.0.0.1:{PORT}")
            zip = folder / ".packtool/registry/view/packages/bench-2.0.0.zip"
            end = time.monotonic() + 300
            while not zip.exists() and time.monotonic() < end:
                await asyncio.sleep(0.2)
            resident, made = status(server.pid, "VmRSS"), zip.exists()
            print(f"high water after patches: {status(server.pid, 'VmHWM'):.0f} MB", file=sys.stderr, flush=True)
            row("after patches were made: MB", f"{resident:.0f}" if made else "none made", 100, made and resident <= 100)
            start = time.monotonic()
            server.terminate()
            code = server.wait(20)
            seconds = time.monotonic() - start
            row("from SIGTERM to the end, s", f"{seconds:.1f}", 10, code == 0 and seconds <= 10)
        finally:
            server.kill()
    print("\n".join(["| | bar | measured |", "| --- | --: | --: |", *rows]))
    if missed:
        sys.exit("bench-load: missed: " + ", ".join(missed))


if sys.argv[1:2] == ["observe"]:
    print(json.dumps(asyncio.run(others(sys.argv[2], time.monotonic() + float(sys.argv[3])))))
else:
    asyncio.run(main())
