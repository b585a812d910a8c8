#!/usr/bin/env python3
"""Kills packtool at its first call that changes a disk, at its second, and so on to the last, in publish, withdraw, update, start
and confirm; after each kill it looks whether everything opens, nothing that was said to be done is gone, an old version or the
new one is whole, and the next run goes through.

    Tests/Tools/kill_sweep.py .build/debug/packtool                     every call of every action
    Tests/Tools/kill_sweep.py .build/debug/packtool --points 12         a dozen of each, spread evenly
    Tests/Tools/kill_sweep.py .build/debug/packtool --action update     one action

Needs a C compiler (cc). Prints one line an action, and one for each fault; ends with 1 where there was any."""
import argparse
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
arguments.add_argument("packtool", type=pathlib.Path)
arguments.add_argument("--points", type=int, help="kill points an action (default: all)")
arguments.add_argument("--action", action="append", help="publish, withdraw, update, start or confirm (default: all)")
arguments.add_argument("--first", type=int, default=1, help="the first kill point")
ARGUMENTS = arguments.parse_args()

PACKTOOL = str(ARGUMENTS.packtool.resolve())
WORK = pathlib.Path(tempfile.mkdtemp(prefix="kill-sweep-"))
LIBRARY, COUNTER = WORK / "kill_at.so", WORK / "counter"
ENVIRONMENT = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(WORK / "home"), "SWIFT_BACKTRACE": "enable=no"}
VERSIONS = ("1.0.0", "1.1.0")
KILLED = -9


class Fault(Exception):
    pass


def text(version, path):
    if path == "index.html":
        return f"<!doctype html><title>{version}</title>\n"
    # One file is the same in both versions, and so one object with a link in each.
    return "\n".join(f"step({i}, '{version if path == 'app.js' else 'both'}');" for i in range(400))


FILES = ("index.html", "app.js", "same.js")


def run(folder, *command, kill_at=None, counted=False):
    environment = dict(ENVIRONMENT)
    if counted or kill_at:
        COUNTER.write_bytes(bytes(64))
        environment |= {"LD_PRELOAD": str(LIBRARY), "KILL_COUNTER": str(COUNTER)}
        if kill_at:
            environment["KILL_AT"] = str(kill_at)
    return subprocess.run([PACKTOOL, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def expect(folder, *command, codes=(0,)):
    outcome = run(folder, *command)
    if outcome.returncode not in codes:
        raise Fault(f"packtool {' '.join(command)}: exit code {outcome.returncode}: {outcome.stderr.strip()} {outcome.stdout.strip()}")
    return outcome.stdout


def counted():
    return struct.unpack("Q", COUNTER.read_bytes()[:8])[0]


# What can be looked at.

def active(folder, store="device"):
    """The active version of a store, whether it is confirmed; its files must be whole."""
    status = json.loads(expect(folder, "client", "status", "--store", store, "--json"))["packages"]
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
    return expect(folder, "status", "--json")


def new_device(folder):
    """The version that a device installs which has seen nothing; nil where it finds none."""
    shutil.rmtree(folder / "other", ignore_errors=True)
    expect(folder, "client", "update", "--store", "other", "--channel", "beta", "--registry", ".packtool/registry", codes=(0, 2))
    expect(folder, "client", "start", "--store", "other")
    return active(folder, "other")[0]


def update(store="device"):
    return ("client", "update", "--store", store, "--channel", "beta", "--registry", ".packtool/registry", "--activate", "next-start")


# The actions: what is there before, the command, what must hold after a kill, and after the next run.

def before_first(folder):
    expect(folder, "init", "--quiet", "--template", "config")
    for version in VERSIONS:
        for path in FILES:
            (folder / "dist").mkdir(exist_ok=True)
            (folder / "dist" / path).write_text(text(version, path))
        expect(folder, "build", "dist", "--quiet", "--package", "shop", "--package-version", version, "--out", "packages")
    expect(folder, "publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--quiet")


def before_update(folder):
    before_first(folder)
    expect(folder, *update())
    expect(folder, "client", "start", "--store", "device")
    expect(folder, "client", "confirm", "--store", "device", "--package", "shop")
    expect(folder, "publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--quiet")


def before_start(folder):
    before_update(folder)
    expect(folder, *update())


def before_confirm(folder):
    before_start(folder)
    expect(folder, "client", "start", "--store", "device")


def before_withdraw(folder):
    before_first(folder)
    expect(folder, "publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--quiet")


def after_publish(folder, outcome):
    if "1.0.0" not in published(folder):
        raise Fault("1.0.0 is no longer published")
    found = new_device(folder)
    if found not in VERSIONS or outcome.returncode == 0 and found != "1.1.0":
        raise Fault(f"a new device installs {found}")
    expect(folder, *ACTIONS["publish"][1])
    if new_device(folder) != "1.1.0":
        raise Fault("published again, 1.1.0 is not what a new device installs")


def after_withdraw(folder, outcome):
    found = new_device(folder)
    if found not in (*VERSIONS, None) or "withdrew" in outcome.stdout and found == "1.1.0":
        raise Fault(f"a new device installs {found}")
    # The second run finds it withdrawn, or does it.
    expect(folder, *ACTIONS["withdraw"][1], codes=(0, 1))
    expect(folder, "keys", "newest", "shop", codes=(0, 2))
    if new_device(folder) == "1.1.0":
        raise Fault("withdrawn again, 1.1.0 still comes to a new device")
    expect(folder, "publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--quiet")


def after_update(folder, outcome):
    version, confirmed = active(folder)
    if (version, confirmed) != ("1.0.0", True):
        raise Fault(f"{version} is active before the next start, confirmed: {confirmed}")
    expect(folder, *update(), codes=(0, 2))
    expect(folder, "client", "start", "--store", "device")
    if active(folder)[0] != "1.1.0":
        raise Fault("updated again, 1.1.0 does not start")
    left = [name for name in os.listdir(folder / "device/downloads")] if (folder / "device/downloads").exists() else []
    if left:
        raise Fault(f"left over in downloads: {left}")


def after_start(folder, outcome):
    version, _ = active(folder)
    if version not in VERSIONS or "1.1.0" in outcome.stdout and version != "1.1.0":
        raise Fault(f"{version} is active")
    expect(folder, "client", "start", "--store", "device")
    if active(folder)[0] != "1.1.0":
        raise Fault("started again, 1.1.0 is not active")
    expect(folder, "client", "rollback", "--store", "device", "--package", "shop")
    if active(folder) != ("1.0.0", True):
        raise Fault("1.0.0 cannot be gone back to")


def after_confirm(folder, outcome):
    version, confirmed = active(folder)
    if version != "1.1.0" or outcome.returncode == 0 and not confirmed:
        raise Fault(f"{version} is active, confirmed: {confirmed}")
    expect(folder, "client", "confirm", "--store", "device", "--package", "shop", codes=(0, 2))
    if active(folder) != ("1.1.0", True):
        raise Fault("confirmed again, it is not")


ACTIONS = {
    "publish": (before_first, ("publish", "packages/shop-1.1.0.zip", "--channel", "beta"), after_publish),
    "withdraw": (before_withdraw, ("withdraw", "shop@1.1.0", "--reason", "it is broken", "--yes"), after_withdraw),
    "update": (before_update, update(), after_update),
    "start": (before_start, ("client", "start", "--store", "device"), after_start),
    "confirm": (before_confirm, ("client", "confirm", "--store", "device", "--package", "shop"), after_confirm),
}


def copy(folder, name):
    target = WORK / name
    shutil.rmtree(target, ignore_errors=True)
    # cp keeps hard links and times, without which a store would look damaged.
    subprocess.run(["cp", "-a", folder, target], check=True)
    return target


def sweep(name):
    before, command, after = ACTIONS[name]
    pristine = WORK / f"{name}-before"
    pristine.mkdir()
    before(pristine)
    whole = copy(pristine, name)
    outcome = run(whole, *command, counted=True)
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
        outcome = run(folder, *command, kill_at=point)
        killed += outcome.returncode == KILLED
        try:
            if outcome.returncode not in (0, KILLED):
                raise Fault(f"exit code {outcome.returncode}: {outcome.stderr}")
            after(folder, outcome)
        except (Fault, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as fault:
            faults += 1
            print(f"{name}, killed at call {point} of {calls}: {fault!r}", flush=True)
            copy(folder, f"fault-{name}-{point}")
    print(f"{name}: {calls} calls, {len(points)} points, {killed} kills, {faults} faults", flush=True)
    if killed < len(points) * 0.8:
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
if FAULTS:
    print(f"what was left after each fault is in {WORK}/fault-*")
else:
    shutil.rmtree(WORK)
sys.exit(1 if FAULTS else 0)
