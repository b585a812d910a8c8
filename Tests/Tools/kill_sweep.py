#!/usr/bin/env python3
"""Kills packtool at its first call that changes a disk, at its second, and so on to the last, in publish, withdraw, update, start,
confirm and arrive (a package that installs itself while its page is open), in publish, rollback and update of a set, and in the release, the
plan, each verb and the runner of a set's rollout; after each kill it looks whether everything opens, nothing that was said to be done is gone, an old version or the
new one is whole, and the next run goes through.

    Tests/Tools/kill_sweep.py .build/debug/packtool                     every call of every action
    Tests/Tools/kill_sweep.py .build/debug/packtool --points 12         a dozen of each, spread evenly
    Tests/Tools/kill_sweep.py .build/debug/packtool --action update     one action

Needs a C compiler (cc). Prints one line an action, and one for each fault; ends with 1 where there was any."""
import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from kill_sweep_prune import PruneActions
from kill_sweep_rollouts import RolloutActions
from kill_sweep_sets import SetActions
from packtool_runs import Fault, Packtool

arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
arguments.add_argument("packtool", type=pathlib.Path)
arguments.add_argument("--points", type=int, help="kill points an action (default: all)")
arguments.add_argument("--action", action="append", help="publish, withdraw, update, start, confirm, arrive, publish-set, rollback-set, update-set, release-set, or rollout- and plan, run or a verb (default: all)")
arguments.add_argument("--first", type=int, default=1, help="the first kill point")
ARGUMENTS = arguments.parse_args()

WORK = pathlib.Path(tempfile.mkdtemp(prefix="kill-sweep-"))
LIBRARY, COUNTER, TRACE = WORK / "kill_at.so", WORK / "counter", WORK / "trace"
TOOL = Packtool(ARGUMENTS.packtool, WORK)
VERSIONS = ("1.0.0", "1.1.0")
KILLED = -9


def text(version, path):
    if path == "index.html":
        return f"<!doctype html><title>{version}</title>\n"
    # One file is the same in both versions, and so one object with a link in each.
    return "\n".join(f"step({i}, '{version if path == 'app.js' else 'both'}');" for i in range(400))


FILES = ("index.html", "app.js", "same.js")


def environment(kill_at=None, counted=False):
    """What a run needs besides, to be killed or counted."""
    if not counted and not kill_at:
        return {}
    COUNTER.write_bytes(bytes(64))
    TRACE.unlink(missing_ok=True)
    killing = {"KILL_AT": str(kill_at)} if kill_at else {"KILL_TRACE": str(TRACE)}
    return {"LD_PRELOAD": str(LIBRARY), "KILL_COUNTER": str(COUNTER)} | killing


def run(folder, *command, **how):
    return TOOL.run(folder, *command, extra=environment(**how))


def counted():
    return struct.unpack("Q", COUNTER.read_bytes()[:8])[0]


# What can be looked at.

def active(folder, store="device"):
    """The active version of a store, whether it is confirmed; its files must be whole."""
    status = json.loads(TOOL.expect(folder, "client", "status", "--store", store, "--json"))["packages"]
    status = next((entry for entry in status if entry["package"] == "shop"), None) if isinstance(status, list) else status.get("shop")
    if not status or not status.get("active"):
        return None, False
    version = status["active"]
    for path in FILES:
        found = (folder / store / "unzipFiles/shop" / version / path).read_text()
        if found != text(version, path):
            raise Fault(f"{path} of {version} is not what was published")
    return version, status["confirmed"]


def published(folder):
    """The versions that the registry offers, by its own word."""
    return TOOL.expect(folder, "status", "--json")


def new_device(folder):
    """The version that a device installs which has seen nothing; nil where it finds none."""
    shutil.rmtree(folder / "other", ignore_errors=True)
    TOOL.expect(folder, "client", "update", "--store", "other", "--channel", "beta", "--registry", ".packtool/registry", codes=(0, 2))
    TOOL.expect(folder, "client", "start", "--store", "other")
    return active(folder, "other")[0]


def update(store="device"):
    return ("client", "update", "--store", store, "--channel", "beta", "--registry", ".packtool/registry", "--activate", "next-start")


# The actions: what is there before, the command, what must hold after a kill, and after the next run.

def before_first(folder):
    TOOL.expect(folder, "init", "--quiet", "--template", "config")
    for version in VERSIONS:
        for path in FILES:
            (folder / "dist").mkdir(exist_ok=True)
            (folder / "dist" / path).write_text(text(version, path))
        TOOL.expect(folder, "build", "dist", "--quiet", "--package", "shop", "--package-version", version, "--out", "packages")
    TOOL.expect(folder, "publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--quiet")


def before_update(folder):
    before_first(folder)
    TOOL.expect(folder, *update())
    TOOL.expect(folder, "client", "start", "--store", "device")
    TOOL.expect(folder, "client", "confirm", "--store", "device", "--package", "shop")
    TOOL.expect(folder, "publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--quiet")


def before_start(folder):
    before_update(folder)
    TOOL.expect(folder, *update())


def before_confirm(folder):
    before_start(folder)
    TOOL.expect(folder, "client", "start", "--store", "device")


def before_withdraw(folder):
    before_first(folder)
    TOOL.expect(folder, "publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--quiet")


def after_publish(folder, outcome):
    if "1.0.0" not in published(folder):
        raise Fault("1.0.0 is no longer published")
    found = new_device(folder)
    if found not in VERSIONS or outcome.returncode == 0 and found != "1.1.0":
        raise Fault(f"a new device installs {found}")
    TOOL.expect(folder, *ACTIONS["publish"][1])
    if new_device(folder) != "1.1.0":
        raise Fault("published again, 1.1.0 is not what a new device installs")


def after_withdraw(folder, outcome):
    found = new_device(folder)
    if found not in (*VERSIONS, None) or "withdrew" in outcome.stdout and found == "1.1.0":
        raise Fault(f"a new device installs {found}")
    # The second run finds it withdrawn, or does it.
    TOOL.expect(folder, *ACTIONS["withdraw"][1], codes=(0, 2))
    TOOL.expect(folder, "keys", "newest", "shop", codes=(0, 2))
    if new_device(folder) == "1.1.0":
        raise Fault("withdrawn again, 1.1.0 still comes to a new device")
    TOOL.expect(folder, "publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--quiet")


def after_update(folder, outcome):
    version, confirmed = active(folder)
    if (version, confirmed) != ("1.0.0", True):
        raise Fault(f"{version} is active before the next start, confirmed: {confirmed}")
    TOOL.expect(folder, *update(), codes=(0, 2))
    TOOL.expect(folder, "client", "start", "--store", "device")
    if active(folder)[0] != "1.1.0":
        raise Fault("updated again, 1.1.0 does not start")
    left = [name for name in os.listdir(folder / "device/downloads")] if (folder / "device/downloads").exists() else []
    if left:
        raise Fault(f"left over in downloads: {left}")


def after_start(folder, outcome):
    version, _ = active(folder)
    if version not in VERSIONS or "1.1.0" in outcome.stdout and version != "1.1.0":
        raise Fault(f"{version} is active")
    TOOL.expect(folder, "client", "start", "--store", "device")
    if active(folder)[0] != "1.1.0":
        raise Fault("started again, 1.1.0 is not active")
    TOOL.expect(folder, "client", "rollback", "--store", "device", "--package", "shop")
    if active(folder) != ("1.0.0", True):
        raise Fault("1.0.0 cannot be gone back to")


def after_confirm(folder, outcome):
    version, confirmed = active(folder)
    if version != "1.1.0" or outcome.returncode == 0 and not confirmed:
        raise Fault(f"{version} is active, confirmed: {confirmed}")
    TOOL.expect(folder, "client", "confirm", "--store", "device", "--package", "shop", codes=(0, 2))
    if active(folder) != ("1.1.0", True):
        raise Fault("confirmed again, it is not")


# A package that installs itself. One of its files comes in parts, the others at once.

LARGE = "large.js"


def content(path):
    return "".join(f"large({i});" for i in range(60_000)) if path == LARGE else text("1.0.0", path)


def before_arrive(folder):
    TOOL.expect(folder, "init", "--quiet", "--template", "config")
    (folder / "dist").mkdir()
    for path in (*FILES, LARGE):
        (folder / "dist" / path).write_text(content(path))
    TOOL.expect(folder, "build", "dist", "--quiet", "--package", "shop", "--package-version", "1.0.0", "--out", "packages")
    TOOL.expect(folder, "publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--quiet")
    registry(folder)


def serving(folder, *command, **how):
    return TOOL.serving(folder, *command, extra=environment(**how))


def registry(folder):
    """One registry for all devices: they do not change it."""
    _, port, _ = serving(folder, "serve")
    (folder / "registry-port").write_text(str(port))


def device(folder):
    port = (folder / "registry-port").read_text()
    return ("--store", "device", "--channel", "beta", "--registry", f"http://127.0.0.1:{port}")


def get(port, path, cookie=""):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    kind = "document" if path in ("/", "/shop/") else "script"
    connection.request("GET", path, headers={"Sec-Fetch-Dest": kind, "Cookie": cookie})
    answer = connection.getresponse()
    body = answer.read().decode()
    if answer.status != 200:
        raise Fault(f"{path} is answered with {answer.status}: {body[:300]}")
    return body, (answer.headers["Set-Cookie"] or "").split(";")[0]


def use(port):
    """What a page does; every byte that it gets must be what was signed."""
    page, cookie = get(port, "/shop/")
    if page.replace(re.search(r"<script src=.*?</script>|$", page)[0], "") != content("index.html"):
        raise Fault(f"the page is {page[:300]}")
    for path in (LARGE, *FILES[1:]):
        if get(port, f"/shop/{path}", cookie)[0] != content(path):
            raise Fault(f"{path} is not what was published")
    for _ in range(600):
        if "1.0.0" in get(port, "/")[0]:
            return
        time.sleep(0.05)
    raise Fault("it does not install itself")


def arrive(folder, **how):
    process, port, said = serving(folder, "client", "serve", "--root", ".packtool/root.json", *device(folder), **how)
    try:
        if port:
            use(port)
    except (OSError, http.client.HTTPException):
        # Only one that was killed may leave its page without an answer.
        if process.wait(timeout=120) != KILLED:
            raise
    process.terminate()
    return subprocess.CompletedProcess(process.args, process.wait(timeout=120), said.read_text(), said.read_text())


def cut_power(folder):
    """What the worst power cut does to objects that nobody has waited for: their names are there, their bytes are not."""
    if (folder / "device/unzipFiles/shop/1.0.0").exists():
        return
    for number, file in enumerate(sorted((folder / "device/objects").glob("*/*"))):
        size = file.stat().st_size
        file.chmod(0o644)
        file.write_bytes(bytes(size) if number % 2 else b"")
        file.chmod(0o444)


def after_arrive(folder, outcome):
    if outcome.returncode == 0:
        # A tree is made of objects that are on the disk.
        calls = TRACE.read_text().splitlines() if TRACE.exists() else []
        made = next((i for i, call in enumerate(calls) if call.startswith("rename") and "/unzipFiles/" in call), 0)
        came = [i for i, call in enumerate(calls[:made]) if call.startswith("rename") and "/objects/" in call]
        if calls and (len(came) < len(FILES) + 1 or not any(call.startswith("syncfs") for call in calls[came[-1]:made])):
            raise Fault("the tree is made before its objects are on the disk: " + ", ".join(calls))
    version, _ = active(folder) if (folder / "device/state.json").exists() else (None, False)
    if outcome.returncode == 0 and version != "1.0.0":
        raise Fault(f"{version} is active")
    if version is None:
        cut_power(folder)
    if (again := arrive(folder)).returncode != 0:
        raise Fault(f"opened again, exit code {again.returncode}: {again.stderr}")
    if active(folder)[0] != "1.0.0":
        raise Fault("opened again, 1.0.0 is not active")
    # An update that finds nothing new does not look for what a dead process left.
    TOOL.expect(folder, "client", "gc", "--store", "device", codes=(0, 2))
    left = [str(path) for name in ("downloads", "arriving") for path in (folder / "device" / name).glob("*")]
    if left:
        raise Fault(f"left over: {left}")


SETS = SetActions(TOOL, FILES, VERSIONS, text, update)
ACTIONS = {
    "publish": (before_first, ("publish", "packages/shop-1.1.0.zip", "--channel", "beta"), after_publish),
    "withdraw": (before_withdraw, ("withdraw", "shop@1.1.0", "--reason", "it is broken", "--yes"), after_withdraw),
    "update": (before_update, update(), after_update),
    "start": (before_start, ("client", "start", "--store", "device"), after_start),
    "confirm": (before_confirm, ("client", "confirm", "--store", "device", "--package", "shop"), after_confirm),
    "arrive": (before_arrive, arrive, after_arrive),
} | SETS.actions | RolloutActions(TOOL, SETS).actions | PruneActions(TOOL, FILES, text).actions


def copy(folder, name):
    target = WORK / name
    shutil.rmtree(target, ignore_errors=True)
    # cp keeps hard links and times, without which a store would look damaged.
    subprocess.run(["cp", "-a", folder, target], check=True)
    return target


def sweep(name):
    before, command, after = ACTIONS[name]
    act = command if callable(command) else lambda folder, **how: run(folder, *command, **how)
    pristine = WORK / f"{name}-before"
    pristine.mkdir()
    before(pristine)
    whole = copy(pristine, name)
    outcome = act(whole, counted=True)
    if outcome.returncode != 0:
        raise Fault(f"{name} does not go through unkilled: {outcome.stderr}")
    calls = counted()
    after(whole, outcome)
    points = list(range(ARGUMENTS.first, calls + 1))
    if ARGUMENTS.points and len(points) > ARGUMENTS.points:
        # The last calls matter most: they are what is acknowledged.
        step = (len(points) - 1) / (ARGUMENTS.points - 1)
        points = sorted({points[round(i * step)] for i in range(ARGUMENTS.points)})
    killed, faults = 0, 0
    for point in points:
        folder = copy(pristine, name)
        try:
            outcome = act(folder, kill_at=point)
            killed += outcome.returncode == KILLED
            if outcome.returncode not in (0, KILLED):
                raise Fault(f"exit code {outcome.returncode}: {outcome.stderr}")
            after(folder, outcome)
        except (Fault, OSError, ValueError, KeyError, http.client.HTTPException, subprocess.TimeoutExpired) as fault:
            faults += 1
            print(f"{name}, killed at call {point} of {calls}: {fault!r}", flush=True)
            copy(folder, f"fault-{name}-{point}")
    print(f"{name}: {calls} calls, {len(points)} points, {killed} kills, {faults} faults", flush=True)
    # A run may have a few calls less than the one that was counted.
    if killed < (len(points) - 1) * 0.8:
        print(f"{name}: too few of the points were reached", flush=True)
        faults += 1
    return faults


try:
    source = pathlib.Path(__file__).resolve().parent / "kill_at.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", LIBRARY, source, "-ldl"], check=True)
    FAULTS = sum(sweep(name) for name in ARGUMENTS.action or ACTIONS)
except Fault as fault:
    print(fault)
    FAULTS = 1
finally:
    TOOL.stop()
if FAULTS:
    print(f"what was left after each fault is in {WORK}/fault-*")
else:
    shutil.rmtree(WORK)
sys.exit(1 if FAULTS else 0)
