#!/usr/bin/env python3
"""Takes real web builds (Benchmarks/apps.json) the whole way with no option: init, build, preview, publish, device, and opens them
in Chromium and in the kiosk, by proxy and by scheme. A build may have no error there that it does not have on a plain static server,
and no blank page. With --minutes, a script then clicks through each build in the kiosk for so long in all, each way. After each step it
reads the page's errors and what was not answered; for errors that are new, the static server is clicked for at most as long, until
it has shown them too.

    Tests/Tools/real_builds.py .build/debug [SET...] [--minutes 10] [--seconds 6]

Needs scripts/fetch-datasets.sh with DATASETS=Benchmarks/apps.json. One line a build; ends with 1 where there was any fault."""
import argparse
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from page_watch import Browser, Kiosk, plain

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
arguments.add_argument("products", type=pathlib.Path, help="the folder of packtool and packtool-kiosk")
arguments.add_argument("sets", nargs="*")
arguments.add_argument("--minutes", type=float, default=0, help="of clicking in all, each way")
arguments.add_argument("--seconds", type=float, default=6, help="that a page has until it is looked at")
arguments.add_argument("--keep", action="store_true", help="keep the folders")
ARGUMENTS = arguments.parse_args()
PACKTOOL, KIOSK = (str((ARGUMENTS.products / name).resolve()) for name in ("packtool", "packtool-kiosk"))
SETS = json.loads((ROOT / "Benchmarks/apps.json").read_text())["sets"]


class Fault(Exception):
    pass


def static_server(dist, base):
    """A plain static server: nothing but files, at the root and where the build expects to be mounted."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *rest):
            super().__init__(*rest, directory=dist)

        def translate_path(self, path):
            if base and path.startswith(base):
                path = path[len(base) - 1:]
            return super().translate_path(path)

        def send_error(self, code, message=None, explain=None):
            # As plain as a device's: what a page makes of an error's text is not compared.
            self.send_response(code)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_POST(self):
            self.send_error(405)

        do_PUT = do_DELETE = do_PATCH = do_POST

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads, request_queue_size = True, 128

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}/"


def run(folder, *command):
    result = subprocess.run([PACKTOOL, *command], cwd=folder, capture_output=True, text=True, timeout=600)
    if result.returncode:
        raise Fault(f"packtool {' '.join(command)} ended with {result.returncode}: {(result.stderr or result.stdout).strip()[-1500:]}")
    return result


class Serving:
    """A packtool that serves; its address is what it prints."""

    def __init__(self, folder, pattern, *command):
        self.process = subprocess.Popen([PACKTOOL, *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if found := re.search(pattern, line):
                self.address = found.group()
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return
        raise Fault(f"packtool {' '.join(command)} said no address")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def compare(where, look, again, reference, faults):
    """look opens the device's page, again the plain static server's once more: which of several errors a page reports first may
    differ from load to load, and on a busy machine a page may be looked at before it has its title."""
    seen = look()
    for _ in range(3):
        if seen.screen["title"] != reference.screen["title"]:
            seen, reference.screen = look(), again().screen
    if seen.is_blank and not reference.is_blank:
        faults.append(f"{where}: a blank page")
    if seen.screen["title"] != reference.screen["title"]:
        faults.append(f"{where}: titled {seen.screen['title']!r}, on the static server {reference.screen['title']!r}")
    for _ in range(4):
        if seen.errors - reference.errors:
            reference.errors.update(again().errors)
    if more := sorted(seen.errors - reference.errors):
        faults.append(f"{where}: {'; '.join(more)} (on the static server: {'; '.join(sorted(reference.errors)) or 'no error'})")
    return seen


CLICK = """(() => {
  const seen = [...document.querySelectorAll("a[href], button, [role=button], [role=tab], [role=menuitem], summary, input[type=checkbox]")]
    .filter(e => e.checkVisibility?.() !== false && !e.disabled && e.target !== "_blank" && !e.download
      && (!e.href || e.origin === location.origin));
  const one = seen[Math.floor(%f * seen.length)];
  one?.click();
  return one ? (one.innerText || one.getAttribute("aria-label") || one.tagName).trim().slice(0, 40) : "";
})()"""


class Clicks:
    """Clicks, goes back, loads anew, opens deep links; and keeps the pages' errors and what a version had and did not give."""

    def __init__(self, home, dist, base, chance):
        self.home, self.dist, self.base, self.chance = home, dist, base, chance
        self.count, self.errors, self.missing = 0, set(), set()
        self.looks, self.left = [], set()

    def go_on(self, kiosk, seconds, until=lambda: False):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not until():
            self.step(kiosk)

    def step(self, kiosk):
        before, choice = len(kiosk.events), self.chance.random()
        if choice < 0.7:
            kiosk.evaluate(CLICK % self.chance.random())
        elif choice < 0.8:
            kiosk.send("back")
        elif choice < 0.9:
            kiosk.send("reload")
        else:
            url = kiosk.evaluate("location.href")
            kiosk.send("load", url=url if url.startswith(self.home) else self.home)
        time.sleep(0.7)
        if any(event["event"] == "started" for event in kiosk.events[before:]):
            time.sleep(1)
        self.read_errors(kiosk)
        self.missing |= set(not_given(kiosk, self.dist, self.base))
        names = [event["event"] for event in kiosk.events[before:]]
        if bad := {"crashed", "rolledBack"} & set(names):
            raise Fault(f"after {self.count} steps: {', '.join(bad)}")
        self.count += 1

    def read_errors(self, kiosk):
        """From a load's start on, WebKit ends what the page before still asks for: its imports and requests fail, on any server. And the
        kiosk hears late of the start on a busy machine. So errors count once the same page was seen two steps later, and no load had begun
        meanwhile; those of a page that was left, and stayed or came back, never do."""
        page, errors = kiosk.evaluate("[performance.timeOrigin, globalThis.watchedErrors ?? []]")
        look = page, sum(event["event"] == "started" for event in kiosk.events)
        if self.looks and self.looks[-1][0][0] == page and self.looks[-1][0] != look:
            self.left.add(page)
        self.looks = [*self.looks[-2:], (look, {plain(error) for error in errors})]
        if page not in self.left and len(self.looks) == 3 and all(seen == look for seen, _ in self.looks):
            self.errors |= self.looks[0][1]


def not_given(kiosk, dist, base):
    """What the page asked for, what is in the build, and what was not answered well."""
    report = kiosk.send("report") or {"entries": []}
    for entry in report["entries"]:
        path = re.sub(r"^[a-z0-9]+://[^/]*", "", entry["url"]).split("?")[0].split("#")[0]
        if base and path.startswith(base):
            path = path[len(base) - 1:]
        if entry["method"] == "GET" and (entry.get("status") or 200) >= 400 and (dist / path.lstrip("/")).is_file():
            yield f"{path} was answered {entry['status']}"


def attempt(name, entry, browser, folder):
    faults, version = [], entry["versions"][-1]
    dist, base = folder / "dist", entry.get("base")
    shutil.copytree(ROOT / ".cache/datasets" / name / version, dist)
    (folder / "package.json").write_text(json.dumps({"name": f"@acme/{name}_ui", "version": version}))
    run(folder, "init")
    built = run(folder, "build")
    run(folder, "publish", "--channel", "stable")
    run(folder, "client", "update", "--store", "store")
    package = f"{name}-ui"
    server, plain_address = static_server(str(dist), base)
    reference = browser.open(plain_address, ARGUMENTS.seconds)
    for where, pattern, command in (
        ("preview", r"http://[a-z0-9.-]+:\d+/", ["preview", "--port", "0"]),
        ("client serve", rf"http://{package}\.package\.localhost:\d+/", ["client", "serve", "--store", "store", "--port", "0"]),
    ):
        serving = Serving(folder, pattern, *command)
        compare(f"Chromium, {where}", lambda: browser.open(serving.address, ARGUMENTS.seconds),
                lambda: browser.open(plain_address, ARGUMENTS.seconds), reference, faults)
        serving.stop()
    steps, shown = 0, 0
    known = Clicks(plain_address, dist, base, random.Random(f"{name} plain"))
    for transport, home in (("proxy", f"https://{package}.package/"), ("scheme", f"h5pack://{package}/")):
        kiosk = Kiosk(KIOSK, folder, package, transport, "--registry", ".packtool/registry", "--update-interval", "0")
        try:
            kiosk.wait("finished")
            reference = kiosk.open(plain_address, ARGUMENTS.seconds)
            seen = compare(f"kiosk, {transport}", lambda: kiosk.open(home, ARGUMENTS.seconds),
                           lambda: kiosk.open(plain_address, ARGUMENTS.seconds), reference, faults)
            shown = seen.screen["elements"]
            missing = set(not_given(kiosk, dist, base))
            if ARGUMENTS.minutes:
                kiosk.open(home, ARGUMENTS.seconds)
                share = ARGUMENTS.minutes * 60 / len(ARGUMENTS.sets or SETS)
                clicks = Clicks(home, dist, base, random.Random(name))
                clicks.go_on(kiosk, share)
                steps, missing = steps + clicks.count, missing | clicks.missing
                after = kiosk.open(home, ARGUMENTS.seconds)
                if after.is_blank and not seen.is_blank:
                    faults.append(f"kiosk, {transport}: blank after {clicks.count} steps")
                kiosk.open(plain_address, ARGUMENTS.seconds)
                known.errors |= reference.errors
                known.go_on(kiosk, share, until=lambda: clicks.errors <= known.errors)
                if more := sorted(clicks.errors - known.errors):
                    faults.append(f"kiosk, {transport}, while clicked: {'; '.join(more)}")
            faults.extend(f"kiosk, {transport}: {text}" for text in sorted(missing))
        except (RuntimeError, Fault) as error:
            faults.append(f"kiosk, {transport}: {error}")
        finally:
            kiosk.close()
    server.shutdown()
    warnings = len(re.findall("^warning:", built.stderr, re.M))
    print(f"{name} {version}: {reference.screen['title']!r}, {shown} elements, {warnings} warnings, "
          f"{steps} steps: {'; '.join(faults) if faults else 'as on a static server'}", flush=True)
    return faults


def main():
    browser, count = Browser(), 0
    for name in ARGUMENTS.sets or SETS:
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"real-{name}-"))
        try:
            count += len(attempt(name, SETS[name], browser, folder))
        except (Fault, RuntimeError) as fault:
            count += 1
            print(f"{name}: {fault}", flush=True)
        finally:
            if ARGUMENTS.keep:
                print(folder)
            else:
                shutil.rmtree(folder, ignore_errors=True)
    browser.close()
    shutil.rmtree(browser_bench_home(), ignore_errors=True)
    print(f"{len(ARGUMENTS.sets or SETS)} builds, {count} faults", flush=True)
    os._exit(1 if count else 0)


def browser_bench_home():
    import browser_bench
    return browser_bench.HOME


if __name__ == "__main__":
    main()
