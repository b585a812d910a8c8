#!/usr/bin/env python3
"""Tells a device every kind of lie about every kind of file, from a mirror before a real registry, while it installs, updates and opens a
package; and damages every kind of file of its store while nothing runs. Whatever happens, the device shows one published version byte
for byte or an error page, its commands end as they should and say why, and when the lie is over the next update goes through.

    Tests/Tools/tamper_matrix.py .build/debug/packtool                  every row
    Tests/Tools/tamper_matrix.py .build/debug/packtool --points 24      so many, drawn by --seed
    Tests/Tools/tamper_matrix.py .build/debug/packtool --rounds 5       five times, with other bits and files
    Tests/Tools/tamper_matrix.py .build/debug/packtool --action store   one action

One line a row: action, file, lie, how often it was told, what came of it. Ends with 1 where there was any fault. --prove-it-fails compares with
content that has one other bit: then every row that shows a page has to be a fault, or the tool itself ends with 1."""
import argparse
import http.client
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from lying_mirror import LIES, Mirror, damaged
from packtool_runs import Fault, Packtool

arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
arguments.add_argument("packtool", type=pathlib.Path)
arguments.add_argument("--rounds", type=int, default=1, help="how often (default: 1)")
arguments.add_argument("--seed", type=int, default=1, help="of what is drawn: bits, files, points (default: 1)")
arguments.add_argument("--points", type=int, help="rows a round (default: all)")
arguments.add_argument("--action", action="append", help="install, update, open, zip or store (default: all)")
arguments.add_argument("--row", help="only rows that hold this text")
arguments.add_argument("--prove-it-fails", action="store_true", help="compare with content that is wrong by one bit")
ARGUMENTS = arguments.parse_args()

WORK = pathlib.Path(tempfile.mkdtemp(prefix="tamper-matrix-"))
TOOL = Packtool(ARGUMENTS.packtool, WORK)
VERSIONS, FILES = ("1.0.0", "1.1.0"), ("index.html", "app.js", "same.js")
# Nothing is so slow that it takes longer, and no device needs more memory, whatever it is sent.
LONGEST, MOST_MEMORY = 180, 300 << 20


def text(version, path, package="shop"):
    if path == "index.html":
        return f"<!doctype html><title>{package} {version}</title>\n".encode()
    mark = version if path == "app.js" else "both"
    return "\n".join(f"{package}({i * i}, '{mark if i % 50 == 0 else 'both'}');" for i in range(3000)).encode()


def expected(version, path):
    content = text(version, path)
    return content[:-2] + bytes([content[-2] ^ 1]) + content[-1:] if ARGUMENTS.prove_it_fails else content


# The registry, and a stranger's under the same names.

def publish(folder, package, version, word=""):
    for path in FILES:
        (folder / "dist").mkdir(exist_ok=True)
        (folder / "dist" / path).write_bytes(text(version, path, word or package))
    TOOL.expect(folder, "build", "dist", "--quiet", "--package", package, "--package-version", version, "--out", "packages")
    TOOL.expect(folder, "publish", f"packages/{package}-{version}.zip", "--channel", "beta", "--quiet")


SIGNED = ("timestamp", "root", "snapshot", "targets", "roles", "channel", "manifest")
# What the mirror has not, so that the device asks for the file that the row is about.
WITHHELD = {kind: ("bundle", "recent metadata") for kind in SIGNED} | {
    "object": ("full download", "content patch", "update file"), "full download": ("content patch", "update file"),
    "content patch": ("update file",), "manifest patch": ("update file",)}
# A root with new keys makes the device forget its timestamp, and one without asks for the bundle first.
WITHHELD["recent metadata"] = ("bundle",)
WITHHELD["manifest"] = ("bundle", "recent metadata", "manifest patch", "update file")
ASKED = {
    "install": (*SIGNED, "object", "full download", "bundle"),
    "update": (*SIGNED, "recent metadata", "manifest patch", "update file", "object", "content patch", "full download"),
    "open": (*SIGNED, "object", "bundle"),
    "zip": ("zip",),
}


# The device.

def options(registry):
    return ("--store", "device", "--channel", "beta", "--root", "root.json", "--timeout", "1", "--registry", registry)


def client(folder, verb, registry, *more, codes=(0, 1, 2)):
    """Runs a command of the device; how it ends and what it says must be for people."""
    begin = time.monotonic()
    outcome = TOOL.run(folder, "client", verb, *options(registry), *more)
    said = outcome.stderr + outcome.stdout
    what = f"client {verb} ended with {outcome.returncode} after {time.monotonic() - begin:.0f} s and said: {said.strip()[-600:]}"
    if outcome.returncode not in codes or time.monotonic() - begin > LONGEST:
        raise Fault(what)
    sane(outcome.returncode, said, what)
    return outcome


def sane(code, said, what):
    if code and not said.strip() or re.search(r"internal error|fatal error|crash|Swift\.|NSError|Error Domain|Optional\(|\(null\)|_err", said, re.I):
        raise Fault(what)


def get(port, path, cookie=""):
    """The status, what came of the body, and a cookie; a body that ends early is an error that a page sees."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
    kind = "document" if path == "/shop/" else "script"
    try:
        connection.request("GET", path, headers={"Sec-Fetch-Dest": kind, "Cookie": cookie})
        answer = connection.getresponse()
    except (OSError, http.client.HTTPException) as error:
        raise Fault(f"{path} has no answer: {error!r}") from error
    try:
        return answer.status, answer.read(), (answer.headers["Set-Cookie"] or "").split(";")[0]
    except (OSError, http.client.IncompleteRead):
        return 0, b"", ""
    finally:
        connection.close()


def shown(folder, registry):
    """The version that a page is of and how many of its files are errors; any other byte is a fault."""
    process, port, said = TOOL.serving(folder, "client", "serve", "--no-hook", *options(registry))
    try:
        if not port:
            process.wait(LONGEST)
            what = f"client serve ended with {process.returncode} and said: {said.read_text().strip()[-600:]}"
            if process.returncode not in (1, 2):
                raise Fault(what)
            sane(process.returncode, said.read_text(), what)
            return None, len(FILES)
        status, page, cookie = get(port, "/shop/")
        version = next((v for v in VERSIONS if page == expected(v, "index.html")), None)
        if status < 400 and status != 0 and not version:
            raise Fault(f"WRONG BYTES: the page is {status} {page[:200]}")
        sane(1, page.decode(), f"the page says {page[-600:]}") if status >= 400 else None
        errors = 0 if version else 1
        for path in FILES[1:]:
            status, body, _ = get(port, f"/shop/{path}", cookie)
            # Without a page it is any version's, with one that page's.
            if status == 200 and body not in [expected(v, path) for v in ([version] if version else VERSIONS)]:
                raise Fault(f"WRONG BYTES: {path} beside the page of {version} is {len(body)} bytes: {body[:200]}")
            errors += status != 200
        if version == VERSIONS[-1] and not errors:
            # What works is confirmed, as its page does; else a few looks at it are its last ones.
            confirmed = client(folder, "confirm", registry, "--package", "shop")
            # What was opened over the network may not be here as a whole yet.
            if confirmed.returncode == 1 and "not installed" not in confirmed.stderr:
                raise Fault(f"client confirm said: {confirmed.stderr.strip()[-600:]}")
        return version, errors
    finally:
        process.terminate()
        if process.wait(LONGEST) < 0:
            raise Fault(f"client serve died of signal {-process.returncode}")


def goes_on(folder, registry, *before):
    """The lie is over: the next update goes through, and all of the newest version is there."""
    for verb in before:
        client(folder, verb, registry, codes=(0, 2))
    client(folder, "update", registry, codes=(0, 2))
    client(folder, "start", registry, codes=(0,))
    if (found := shown(folder, registry)) != ("1.1.0", 0):
        raise Fault(f"when the lie is over and it was updated, it shows {found[0]} with {found[1]} errors")


def copy(name, number):
    folder = WORK / f"row-{number}"
    # cp keeps hard links and times.
    subprocess.run(["cp", "-a", WORK / name, folder], check=True)
    return folder


def lied_to(action, kind, lie, mirror, honest, folder):
    mirror.tell(kind, lie, WITHHELD.get(kind, ()))
    code = "-"
    try:
        if action == "zip":
            found = zip_of(folder, mirror)
        else:
            if action != "open":
                code = client(folder, "update", mirror.url).returncode
            found = shown(folder, mirror.url)
    finally:
        told = mirror.told
        mirror.tell(None, None)
    if mirror.sites:
        raise Fault("the device asked for the unverified copy below /site")
    if not told:
        raise Fault("nobody asked for it: the row shows nothing")
    goes_on(folder, honest)
    return f"told {told} x, exit code {code}, showed {found[0] or 'an error page'}, {found[1]} errors"


def zip_of(folder, mirror):
    """A zip that a person fetches from a mirror, looks at, and carries to the device."""
    outcome = TOOL.run(folder, "verify", "shop@1.1.0", "--registry", mirror.url)
    what = f"verify ended with {outcome.returncode} and said: {(outcome.stderr + outcome.stdout).strip()[-600:]}"
    sane(outcome.returncode, outcome.stderr + outcome.stdout, what)
    # A sound package of somebody else is sound; that nobody signed it is seen by the device.
    if outcome.returncode not in ((0, 1) if mirror.lie in ("older", "another", "stranger") else (1,)):
        raise Fault(what)
    with urllib.request.urlopen(f"{mirror.registry}/packages/shop-1.1.0.zip", timeout=60) as answer:
        body = answer.read()
    (folder / "carried.zip").write_bytes(mirror.instead("", body))
    if (folder / "carried.zip").read_bytes() != body:
        code = client(folder, "install", mirror.registry, "carried.zip").returncode
        if code == 0 and mirror.lie not in ("older", "another"):
            raise Fault("it installed a zip that is not what was signed")
    return shown(folder, mirror.registry)


# Its store, while nothing runs.

STORE = {
    "object": "objects/*/*", "manifest": "unzipFiles/shop/1.0.0/pack.json", "metadata": "trust/*", "state": "state.json",
    "site tree": "unzipFiles/shop/1.0.0/*.*", "verified": "verified/*", "cache": "cache/*",
}
DAMAGES = ("bit", "same size", "cut", "longer", "empty", "older", "another", "gone")
THEN = ("start", "serve", "update", "repair")


def damage(folder, kind, lie, draw):
    store = folder / "device"
    files = sorted(store.glob(STORE[kind]))
    file = draw.choice([found for found in files if kind != "site tree" or found.name != "pack.json"])
    name, status, body = file.relative_to(store), file.stat(), file.read_bytes()
    if lie in ("older", "another"):
        same = WORK / "earlier/device" / name
        if lie == "older" and same.is_file() and same.read_bytes() != body:
            new = same.read_bytes()
        else:
            new = draw.choice([other.read_bytes() for pattern in ("trust/*", "unzipFiles/shop/*/*", "state.json")
                               for other in sorted(store.glob(pattern)) if other.read_bytes() != body])
    else:
        new = damaged(body, lie, draw)
    file.chmod(0o644)
    # A tree's file is replaced, so that its object stays whole; the others are written into, their time set back.
    if lie == "gone" or kind == "site tree":
        file.unlink()
    if lie != "gone":
        file.write_bytes(new)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        file.chmod(status.st_mode & 0o777)
    return name


def stored(kind, lie, then, honest, folder, draw):
    # A copy has other inodes: the device looks at them all once, and takes them down.
    client(folder, "start", honest, codes=(0,))
    name = damage(folder, kind, lie, draw)
    code = "-" if then == "serve" else client(folder, then, honest).returncode
    found = shown(folder, honest)
    goes_on(folder, honest, "repair")
    return f"{name}, exit code {code}, showed {found[0] or 'an error page'}, {found[1]} errors"


def scene():
    """A registry with 1.0.0 and 1.1.0 and new keys between them, a stranger's, a device that has nothing and one with 1.0.0."""
    for name in ("registry", "stranger", "nothing", "device"):
        (WORK / name).mkdir()
    for name in ("registry", "stranger"):
        TOOL.expect(WORK / name, "init", "--quiet", "--template", "config")
    registry, stranger = WORK / "registry", WORK / "stranger"
    publish(registry, "shop", "1.0.0")
    for version in VERSIONS:
        publish(stranger, "shop", version, "evil")
    TOOL.expect(stranger, "keys", "rotate", "online")
    view = registry / ".packtool/registry/view"
    for name in ("nothing", "device"):
        shutil.copy(registry / ".packtool/root.json", WORK / name / "root.json")
    device = WORK / "device"
    client(device, "update", str(registry / ".packtool/registry"), "--package", "shop", codes=(0,))
    client(device, "start", str(registry / ".packtool/registry"), codes=(0,))
    subprocess.run(["cp", "-a", device, WORK / "earlier"], check=True)
    client(device, "confirm", str(registry / ".packtool/registry"), "--package", "shop", codes=(0,))
    port, strange = (TOOL.serving(folder, "serve", "--quiet")[1] for folder in (registry, stranger))
    # New keys first: what is older afterwards is signed by those that count.
    TOOL.expect(registry, "keys", "rotate", "online")
    publish(registry, "other", "1.0.0")
    older = WORK / "older"
    shutil.copytree(view, older)
    bundle(port, older)
    publish(registry, "shop", "1.1.0")
    publish(registry, "other", "1.1.0")
    # The root is asked for once a day.
    subprocess.run(["cp", "-a", device, WORK / "kept"], check=True)
    shutil.rmtree(device / "device/cache")
    bundle(strange, WORK / "stranger/.packtool/registry/view")
    return port, (older, view, WORK / "stranger/.packtool/registry/view")


def bundle(port, view):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/bundle/1/beta", timeout=60) as answer:
        (view / "bundle").write_bytes(answer.read())


def rows():
    told = [(action, kind, lie) for action, kinds in ASKED.items() for kind in kinds for lie in LIES
            if action != "zip" or lie not in ("404", "500", "endless", "drip", "bomb")]
    kept = [("store", f"{kind}, {then}", lie) for kind in STORE for then in THEN for lie in DAMAGES]
    return [row for row in told + kept if row[0] in (ARGUMENTS.action or row[0]) and (ARGUMENTS.row or "") in ", ".join(row)]


def main():
    port, views = scene()
    honest, faults, count, highest = f"http://127.0.0.1:{port}", 0, 0, MOST_MEMORY
    for seed in range(ARGUMENTS.seed, ARGUMENTS.seed + ARGUMENTS.rounds):
        mirror = Mirror(port, views, random.Random(seed))
        chosen = rows()
        if ARGUMENTS.points and len(chosen) > ARGUMENTS.points:
            chosen = sorted(random.Random(seed).sample(chosen, ARGUMENTS.points), key=chosen.index)
        for action, kind, lie in chosen:
            count += 1
            folder = copy({"update": "device", "store": "kept"}.get(action, "nothing"), count)
            # Each row draws for itself, so that it is the same one alone.
            mirror.draw = random.Random(f"{seed} {action} {kind} {lie}")
            try:
                if action == "store":
                    found = stored(*kind.split(", ")[:1], lie, kind.split(", ")[1], honest, folder, mirror.draw)
                else:
                    found = lied_to(action, kind, lie, mirror, honest, folder)
                # The most of any command until now: a row has a fault when it raises that.
                if (most := resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10) > highest:
                    highest = most
                    raise Fault(f"a command took {most >> 20} MiB")
                shutil.rmtree(folder)
            except (Fault, OSError, ValueError, http.client.HTTPException, subprocess.TimeoutExpired) as fault:
                faults += 1
                found = f"FAULT (what is left is in {folder}): {fault if isinstance(fault, Fault) else repr(fault)}"
            print(f"{action}, {kind}, {lie}: {found}", flush=True)
    print(f"{count} rows, {faults} faults", flush=True)
    return faults, count


try:
    FAULTS, COUNT = main()
finally:
    TOOL.stop()
if not FAULTS or ARGUMENTS.prove_it_fails:
    shutil.rmtree(WORK)
if ARGUMENTS.prove_it_fails:
    sys.exit(0 if FAULTS == COUNT else 1)
sys.exit(1 if FAULTS else 0)
