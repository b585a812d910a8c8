#!/usr/bin/env python3
"""How many events of devices a registry takes in a second, beside a bare SQLite loop that inserts the same rows with the same
durability, and the delay of one report meanwhile; then what 20,000 events a second cost those who publish and those who look for
updates, in turns with and without them. Ends with 1 where a bar is missed: 20,000 events a second, half of the bare loop, p99 under
50 ms, publishing and idle checks 1.10 of their time without.

    scripts/bench-reports.py            PACKTOOL names the binary; SECONDS=10 is the time of each load, ROUNDS=9 of publications

With POSTGRES=1 the registry is in PostgreSQL, and the loop beside it copies the same rows with psql, a commit for each batch."""

import asyncio
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Benchmarks"))
import services  # noqa: E402

PACKTOOL = os.environ.get("PACKTOOL", str(ROOT / ".build/bin/packtool"))
SECONDS = float(os.environ.get("SECONDS", "10"))
BATCH = int(os.environ.get("BATCH", "500"))
LANES = int(os.environ.get("LANES", "8"))
ROUNDS = int(os.environ.get("ROUNDS", "9"))
# Events a second, of which others must hardly notice.
STEADY = 20_000
BAR = 1.10
PORT = 18798
IN_POSTGRES = os.environ.get("POSTGRES") == "1"
CODES = ["offered", "downloaded", "installed", "activated", "confirmed"]


def run(folder, *arguments):
    return subprocess.run([PACKTOOL, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def events(release, first, count, now):
    for sequence in range(first, first + count):
        code = CODES[sequence % len(CODES)]
        event = {"sequence": sequence, "code": code, "time": now, "package": "bench", "version": "1.0.0", "release": release}
        if code == "downloaded":
            event["wireBytes"] = 18234
        yield event


class Batches:
    """As many as are asked for, each of another device: a load must not run out of them."""

    def __init__(self, release, count, now):
        mark = "0" * 32
        body = json.dumps(
            {"format": 1, "sender": mark, "channel": "stable", "events": list(events(release, 1, count, now))},
            separators=(",", ":"))
        self.before, self.after = body.encode().split(mark.encode())

    def pop(self):
        return self.before + b"%032x" % random.getrandbits(128) + self.after


async def post(reader, writer, body):
    head = f"POST /v1/reports HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))[15:])
    answer = await reader.readexactly(length)
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        sys.exit(f"refused: {head.decode()} {answer.decode()}")
    return json.loads(answer)["accepted"]


async def lane(release, bodies, end, delays):
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    accepted = 0
    while time.monotonic() < end:
        body = bodies.pop()
        start = time.monotonic()
        accepted += await post(reader, writer, body)
        delays.append(time.monotonic() - start)
    writer.close()
    return accepted


async def served(release, bodies, small):
    end, delays, little = time.monotonic() + SECONDS, [], []
    start = time.monotonic()

    async def one_device():
        """A device with five events, every 20 ms."""
        reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
        while time.monotonic() < end:
            begin = time.monotonic()
            await post(reader, writer, small.pop())
            little.append(time.monotonic() - begin)
            await asyncio.sleep(0.02)
        writer.close()

    counts = await asyncio.gather(*(lane(release, bodies, end, delays) for _ in range(LANES)), one_device())
    elapsed = time.monotonic() - start
    return sum(count for count in counts if count), elapsed, little


def publication(folder, number, token):
    """Seconds that one takes, of a site that nobody has seen, and nothing made ahead."""
    site, version = folder / "dist", f"2.0.{number}"
    (site / "index.html").write_text(f"<!doctype html><title>{version}</title>")
    for name in range(20):
        (site / f"{name}.js").write_bytes(random.randbytes(2000).hex().encode())
    run(folder, "build", "dist", "--package", "bench", "--package-version", version, "--quiet")
    begin = time.monotonic()
    subprocess.run(
        [PACKTOOL, "publish", f"packages/bench-{version}.zip", "--channel", "stable", "--registry", f"http://127.0.0.1:{PORT}",
         "--no-wait", "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL,
        env=os.environ | {"PACKTOOL_TOKEN": token})
    return time.monotonic() - begin


async def checks(count):
    """Seconds that each of so many devices waits for a check that finds nothing: one request on its own connection."""
    times = []
    for _ in range(count):
        begin = time.monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
        writer.write(b"GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
        times.append(time.monotonic() - begin)
        if b" 200 " not in answer.split(b"\r\n", 1)[0]:
            sys.exit(f"refused: {answer[:300]}")
        await asyncio.sleep(0.005)
    return times


async def steady(bodies, isOver):
    """Sends events at a steady rate until others are done."""
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    begin, sent, accepted = time.monotonic(), 0, 0
    while not isOver.is_set():
        wait = sent / STEADY - (time.monotonic() - begin)
        if wait > 0:
            await asyncio.sleep(wait)
        accepted += await post(reader, writer, bodies.pop())
        sent += BATCH
    writer.close()
    return accepted / (time.monotonic() - begin)


async def round_of(folder, number, token, bodies):
    """One publication and some checks, with events meanwhile where there are bodies."""
    isOver = asyncio.Event()
    load = asyncio.create_task(steady(bodies, isOver)) if bodies else None
    await asyncio.sleep(0.3)
    waits = await checks(150)
    published = await asyncio.to_thread(publication, folder, number, token)
    isOver.set()
    return published, waits, await load if load else 0


def others(folder, release, now):
    """What the others' times come to: without events, and with them."""
    token = run(folder, "token", "create", "bench", "--quiet").strip().splitlines()[-1]
    published, waits, rates = ([], []), ([], []), []
    for number in range(2 * ROUNDS + 1):
        with_events = number % 2
        bodies = Batches(release, BATCH, now) if with_events else None
        took, waited, rate = asyncio.run(round_of(folder, number, token, bodies))
        # The first makes caches warm.
        if number > 0:
            published[with_events].append(took)
            waits[with_events].extend(waited)
            rates.append(rate)
    isMet = True
    for name, (without, during) in [("publication", published), ("idle check", waits)]:
        without, during = sorted(without), sorted(during)
        medians = [times[len(times) // 2] * 1000 for times in (without, during)]
        ratio = medians[1] / medians[0]
        isMet = isMet and ratio <= BAR
        print(f"{name:19} {medians[0]:.2f} ms, with {max(rates):,.0f} events/s {medians[1]:.2f} ms: {ratio:.2f} (bar {BAR:.2f}); "
              f"p99 {without[int(len(without) * 0.99)] * 1000:.1f} and {during[int(len(during) * 0.99)] * 1000:.1f} ms")
    return isMet


def bare(folder, bodies):
    """The rows of the log alone, one commit a batch, by Python's own SQLite."""
    bodies = [bodies.pop() for _ in range(int(SECONDS * 400))]
    database = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute(
        "CREATE TABLE event (id INTEGER PRIMARY KEY, sender INTEGER, sequence INTEGER, subject INTEGER, code TEXT, phase TEXT, "
        "fault TEXT, time INTEGER, received INTEGER, wire INTEGER, zip INTEGER, local INTEGER, online INTEGER, missed INTEGER, "
        "bytes INTEGER)")
    database.execute("CREATE UNIQUE INDEX eventOnce ON event (sender, sequence)")
    insert = (
        "INSERT OR IGNORE INTO event (sender, sequence, subject, code, time, received, wire) VALUES (?, ?, 1, ?, ?, ?, ?)")
    batches = [
        [(sender, row["sequence"], row["code"], row["time"], row["time"], row.get("wireBytes")) for row in json.loads(body)["events"]]
        for sender, body in enumerate(bodies)]
    count, start = 0, time.monotonic()
    for rows in batches:
        if time.monotonic() - start > SECONDS:
            break
        database.execute("BEGIN IMMEDIATE")
        for row in rows:
            database.execute(insert, row)
        database.execute("COMMIT")
        count += len(rows)
    return count / (time.monotonic() - start)


def bare_postgres(url, bodies):
    """The same rows by COPY, one commit a batch, with psql."""
    count = int(SECONDS * 100)
    script = [
        "CREATE TABLE bare (sender bigint, sequence bigint, subject int, code text, time bigint, received bigint, wire bigint);"
        " CREATE UNIQUE INDEX bareonce ON bare (sender, sequence);"]
    for sender in range(count):
        script.append("COPY bare FROM STDIN;")
        for row in json.loads(bodies.pop())["events"]:
            wire = row.get("wireBytes", "\\N")
            script.append("\t".join(map(str, (sender, row["sequence"], 1, row["code"], row["time"], row["time"], wire))))
        script.append("\\.")
    start = time.monotonic()
    subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", url], input="\n".join(script) + "\n", text=True, check=True)
    return count * BATCH / (time.monotonic() - start)


def main():
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as database:
        folder = pathlib.Path(name)
        url = services.start_postgres(pathlib.Path(database)) if IN_POSTGRES else None
        if url:
            os.environ.update(PACKTOOL_REGISTRY=url, PACKTOOL_FILES=str(folder / "files"))
        (folder / "dist").mkdir()
        (folder / "dist/index.html").write_text("<!doctype html><title>bench</title>")
        (folder / "package.json").write_text('{"name": "bench", "version": "1.0.0"}')
        run(folder, "init", "--app", "bench")
        run(folder, "build", "dist", "--package", "bench")
        run(folder, "publish", next((folder / "packages").iterdir()), "--channel", "stable")
        release = json.loads(run(folder, "status", "--json"))["channels"]["stable"]["bench"][0]["id"]
        now = int(time.time())
        bodies, small = Batches(release, BATCH, now), Batches(release, 5, now)
        loop = bare_postgres(url, bodies) if url else bare(folder, bodies)
        server = subprocess.Popen(
            [PACKTOOL, "serve", "--port", str(PORT), "--quiet", "--max-reports-per-network", "0"], cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            server.stdout.readline()
            accepted, elapsed, delays = asyncio.run(served(release, bodies, small))
            isQuiet = others(folder, release, now)
            memory = [line for line in pathlib.Path(f"/proc/{server.pid}/status").read_text().splitlines() if "VmHWM" in line]
        finally:
            server.kill()
            server.wait()
        stats = json.loads(run(folder, "stats", "--channel", "stable", "--json"))
        rate, delays = accepted / elapsed, sorted(delays)
        p99 = delays[int(len(delays) * 0.99)] * 1000
        print(f"bare loop           {loop:10,.0f} events/s")
        print(f"registry            {rate:10,.0f} events/s, {rate / loop:.2f} of the loop; batches of {BATCH}, {LANES} connections")
        print(f"one device meanwhile   p50 {delays[len(delays) // 2] * 1000:.1f} ms, p99 {p99:.1f} ms; {memory[0].split(None, 1)[1]} at most")
        print(f"activated in stats  {stats['versions'][0]['activated']:10,} devices of {accepted:,} events")
        return 0 if isQuiet and rate >= 20_000 and rate >= loop / 2 and p99 < 50 else 1


try:
    sys.exit(main())
finally:
    services.end()
