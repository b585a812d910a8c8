#!/usr/bin/env python3
"""How long statistics, the dashboard and a device's timeline take on a registry with many events of devices, while nothing else runs.
Ends with 1 where the slowest of the rounds of one of them takes 200 ms or more.

    scripts/bench-report-queries.py            PACKTOOL names the binary; EVENTS=50000000, ROUNDS=20, FOLDER is kept if given
"""

import http.client
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKTOOL = os.environ.get("PACKTOOL", str(ROOT / ".build/bin/packtool"))
EVENTS = int(os.environ.get("EVENTS", "50000000"))
ROUNDS = int(os.environ.get("ROUNDS", "20"))
VERSIONS = [f"1.{minor}.0" for minor in range(5)]
BAR = 200
# A device tells five things of each version.
DEVICES = max(1, EVENTS // (5 * len(VERSIONS)))
# Times are quarters of an hour, of 29 days.
SLOTS = 29 * 96
# What a browser says of itself when somebody opens a page.
BROWSER = {"Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "same-origin"}
CODES = "CASE {0} WHEN 0 THEN 'offered' WHEN 1 THEN 'downloaded' WHEN 2 THEN 'installed' WHEN 3 THEN 'activated' ELSE 'confirmed' END"
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {0} - 1) "


def run(folder, *arguments):
    return subprocess.run([PACKTOOL, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def registry(folder):
    """One package of five versions, each for everybody in its turn, and the ids of their releases."""
    (folder / "dist").mkdir()
    (folder / "package.json").write_text('{"name": "bench"}')
    run(folder, "init", "--app", "bench")
    releases = []
    for version in VERSIONS:
        (folder / "dist/index.html").write_text(f"<!doctype html><title>{version}</title>")
        run(folder, "build", "dist", "--package", "bench", "--package-version", version)
        run(folder, "publish", f"packages/bench-{version}.zip", "--channel", "stable", "--no-wait")
        releases.append(json.loads(run(folder, "status", "--json"))["channels"]["stable"]["bench"][0]["id"])
    return releases


def request(port, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("POST" if body else "GET", path, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


def serve(folder):
    server = subprocess.Popen(
        [PACKTOOL, "serve", "--port", "0", "--registry", ".packtool/registry", "--quiet"], cwd=folder, stdout=subprocess.PIPE,
        text=True)
    for line in server.stdout:
        if "http://127.0.0.1:" in line:
            return server, int(line.split("http://127.0.0.1:", 1)[1].split("/")[0].split()[0])
    sys.exit("the server did not start")


def number(value):
    """LEB128."""
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def log(sequence, subject, step):
    """What a device told of one version, all in the same quarter of an hour: Sources/PackRegistryLocal/Reports/EventLog.swift."""
    result = b"\x01"
    for code in (1, 2, 3, 4, 5):
        # A download has the bytes of the transfer and of the zip.
        event = number(2 * step if code == 1 else 0) + number(subject) + bytes([code, 12 if code == 2 else 0])
        if code == 2:
            event += number(18234) + number(182340)
        result += number(sequence if code == 1 else 1) + number(len(event)) + event
    return result


def fill(path, releases, now):
    """The rows that such reports leave, with the triggers of the schema on."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA cache_size = -2000000")
    database.execute("BEGIN")
    for version, release in zip(VERSIONS, releases):
        database.execute(
            "INSERT OR IGNORE INTO subject (channel, package, version, release) VALUES ('stable', 'bench', ?, ?)", (version, release))
    ids = [row[0] for row in database.execute("SELECT id FROM subject WHERE package = 'bench' ORDER BY version")]
    assert ids == list(range(ids[0], ids[0] + len(VERSIONS))), ids
    base = now - now % 900 - SLOTS * 900
    base -= base % 3600
    database.execute(NUMBERS.format(DEVICES) + "INSERT OR IGNORE INTO sender (id, name) SELECT i + 10, printf('%032x', i + 10) FROM n")
    database.executemany(
        "INSERT INTO eventLog (sender, first, last, received, total, events) VALUES (?, ?, ?, ?, ?, ?)",
        ((device + 10, 5 * part + 100, 5 * part + 104, now, 5 * (device * len(VERSIONS) + part) + 6,
          log(5 * part + 100, ids[part], (base + (device * 25 + 5 * part) * 7919 % SLOTS * 900) // 900))
         for device in range(DEVICES) for part in range(len(VERSIONS))))
    database.execute(
        NUMBERS.format(DEVICES * len(VERSIONS))
        + f"INSERT INTO standing (subject, sender, activated, outcome, network) SELECT {ids[0]} + i / {DEVICES}, i % {DEVICES} + 10, "
        f"{base} + i * 7919 % {SLOTS} * 900, CASE WHEN i % 50 THEN 'confirmed' WHEN i % 100 THEN 'failed' END, i % 1024 FROM n")
    # What each device said last that it has and is: 240 kinds of devices.
    database.execute(
        NUMBERS.format(DEVICES)
        + f"INSERT INTO presence SELECT i + 10, 'stable', 'bench', 1, {ids[0]} + i * 31 % {len(VERSIONS)}, "
        "json_object('appVersion', '3.' || (i * 17 % 12), 'osVersion', (12 + i * 13 % 10) || '.0', 'platform', "
        f"CASE i % 2 WHEN 0 THEN 'ios' ELSE 'android' END), {now} / 86400 - i * 7 % 8 FROM n")
    hours = SLOTS // 4
    many = DEVICES * len(VERSIONS) // (hours * len(VERSIONS)) + 1
    database.execute(
        NUMBERS.format(hours * len(VERSIONS) * 5)
        + f"INSERT OR IGNORE INTO counter SELECT {ids[0]} + i / 5 / {hours}, {base} + i / 5 % {hours} * 3600, {CODES.format('i % 5')}, '', "
        f"'', {many}, {many}, {many} * 18234, {many} * 182340, 0, 0, 0, 0 FROM n")
    database.execute(
        NUMBERS.format(hours * len(VERSIONS) * 3)
        + f"INSERT OR IGNORE INTO counter SELECT {ids[0]} + i / 3 / {hours}, {base} + i / 3 % {hours} * 3600, 'failed', 'start', "
        "CASE i % 3 WHEN 0 THEN 'late' WHEN 1 THEN 'neverConfirmed' ELSE 'asked' END, 7, 0, 0, 0, 0, 0, 0, 0 FROM n")
    database.execute("COMMIT")
    counts = [database.execute("SELECT max(total) FROM eventLog").fetchone()[0]]
    counts += [database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("standing", "standingSum", "counter", "presenceSum")]
    database.close()
    return counts


def measure(port, token):
    observer = {"Authorization": f"Bearer {token}"}
    answer, _ = request(
        port, "/dashboard/sign-in", f"token={token}", Origin=f"http://127.0.0.1:{port}", **BROWSER,
        **{"Content-Type": "application/x-www-form-urlencoded"})
    viewer = {"Cookie": answer.getheader("Set-Cookie").split(";")[0], **BROWSER}
    device = "%032x" % 11
    rows, isMet = [], True
    for name, path, headers in [
        ("statistics, 30 days", "/v1/channels/stable/stats", observer),
        ("statistics of a package, 30 days", "/v1/channels/stable/stats?package=bench", observer),
        ("statistics, 2 days by hour", "/v1/channels/stable/stats?days=2", observer),
        ("a device's timeline", f"/v1/devices/{device}/reports", observer),
        ("page: all packages", "/", viewer),
        ("page: a channel", "/dashboard/channels/stable", viewer),
        ("page: a package on a channel", "/dashboard/channels/stable/packages/bench", viewer),
        ("page: a device", f"/dashboard/device?id={device}", viewer),
    ]:
        times = []
        for _ in range(ROUNDS):
            begin = time.monotonic()
            answer, content = request(port, path, **headers)
            times.append((time.monotonic() - begin) * 1000)
            if answer.status != 200:
                sys.exit(f"{path}: {answer.status} {content[:300]}")
        times.sort()
        isMet = isMet and times[-1] < BAR
        rows.append(f"| {name} | {len(content):,} | {times[len(times) // 2]:.0f} | {times[-1]:.0f} | < {BAR} |")
    print("| query | bytes | median, ms | slowest, ms | bar |\n| --- | --: | --: | --: | --: |")
    print("\n".join(rows))
    return isMet


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(os.environ.get("FOLDER", name))
        folder.mkdir(exist_ok=True)
        path = folder / ".packtool/registry/reports.sqlite"
        if not path.exists():
            releases, now = registry(folder), int(time.time())
            token = run(folder, "token", "create", "bench", "--observe", "--quiet").strip().splitlines()[-1]
            (folder / "token").write_text(token)
            server, port = serve(folder)
            # The server makes the file.
            body = {"format": 1, "sender": "%032x" % 1, "channel": "stable", "events": [
                {"sequence": 1, "code": "activated", "time": now, "package": "bench", "version": version, "release": release}
                for version, release in zip(VERSIONS, releases)][:1]}
            answer, content = request(port, "/v1/reports", json.dumps(body), **{"Content-Type": "application/json"})
            server.terminate()
            server.wait()
            if answer.status != 200:
                sys.exit(f"/v1/reports: {answer.status} {content}")
            begin = time.monotonic()
            counts = fill(path, releases, now)
            # A registry syncs each commit; gigabytes that nobody synced would hold up the first that is written after them.
            os.sync()
            print("{:,} events, {:,} standings in {:,} sums, {:,} counters, {:,} sums of what devices are".format(*counts)
                  + f"; filled in {time.monotonic() - begin:.0f} s, {path.stat().st_size / 1e9:.1f} GB")
        server, port = serve(folder)
        try:
            return 0 if measure(port, (folder / "token").read_text()) else 1
        finally:
            server.kill()
            server.wait()


sys.exit(main())
