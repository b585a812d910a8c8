#!/usr/bin/env python3
"""Reads a built site in a real Chromium that reaches no other host: site-browse.py FOLDER. The front page and a page of the API show their
text, light and dark; a word that is searched for has results that lead to pages; and nothing asks another host. SITE_BASE is the path below
which the site is hosted (scripts/site-api.sh). With SHOTS, pictures of the pages go to that folder."""

import functools
import http.server
import json
import os
import pathlib
import shutil
import sys
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/WebScripts"))
import browser_bench  # noqa: E402
from dashboard_browser import Tab  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1]).resolve()
BASE = os.environ.get("SITE_BASE", "").rstrip("/")
SHOTS = os.environ.get("SHOTS")
WORD = "rollback"
API = "/api/documentation/packhost/"
# The background and the text of a page as people see them: the first element below each that has a colour.
COLOURS = """(() => {
  const parts = colour => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const linear = value => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const heading = document.querySelector("main h1, h1");
  let place = heading, back = [255, 255, 255];
  for (; place; place = place.parentElement) {
    const found = parts(getComputedStyle(place).backgroundColor);
    if (found.length === 3 || found[3] > 0.9) { back = found; break; }
  }
  const [r, g, b, alpha = 1] = parts(getComputedStyle(heading).color);
  const behind = light(back), text = light([r, g, b].map((value, i) => value * alpha + back[i] * (1 - alpha)));
  return {behind, contrast: (Math.max(behind, text) + 0.05) / (Math.min(behind, text) + 0.05)};
})()"""


class Site(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(BASE))

    def log_message(self, *_):
        pass


class Reader(Tab):
    """A tab whose workers are watched too: the search runs in one."""

    hosts = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"

    def __init__(self):
        self.requests: list[str] = []
        super().__init__()
        self.send("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)

    def heard(self, method, session, parameters):
        if method == "Target.attachedToTarget":
            self.workers.submit(self.watch, parameters["sessionId"])
        super().heard(method, session, parameters)

    def watch(self, session: str) -> None:
        try:
            self.call("Network.enable", session)
            self.call("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        except RuntimeError as error:
            self.faults.append(f"a worker cannot be watched: {error}")
        finally:
            self.call("Runtime.runIfWaitingForDebugger", session)

    def until(self, expression: str, what: str):
        """The value of an expression once it has one."""
        ends = time.monotonic() + 30
        while time.monotonic() < ends:
            if value := self.evaluate(expression):
                return value
            time.sleep(0.1)
        raise RuntimeError(f"{self.evaluate('location.href')} has no {what} after 30 s")


def read(tab: Reader, site: str) -> list[str]:
    faults = []
    for path, name in (("/index.html", "packtool"), (API, "PackHost")):
        for scheme, is_right in (("light", lambda behind: behind > 0.7), ("dark", lambda behind: behind < 0.1)):
            # As somebody who comes for the first time: the site remembers its colours.
            tab.send("Storage.clearDataForOrigin", origin=site.removesuffix(BASE), storageTypes="local_storage")
            tab.look(1280, scheme)
            tab.open(site + path)
            tab.until(f"[...document.querySelectorAll('h1')].some(h => h.innerText.includes({json.dumps(name)}))", f"heading '{name}'")
            time.sleep(0.5)  # Colours fade.
            colours = tab.evaluate(COLOURS)
            if not is_right(colours["behind"]):
                faults.append(f"{path} is not {scheme}: the background's luminance is {colours['behind']:.2f}")
            if colours["contrast"] < 4.5:
                faults.append(f"{path} {scheme}: the heading has a contrast of {colours['contrast']:.1f}, below 4.5")
            if SHOTS:
                tab.shot(f"{SHOTS}/{name}-{scheme}.png")
    tab.look(1280, "light")
    tab.open(f"{site}/index.html")
    tab.evaluate("document.querySelector('.md-search__input').focus()")
    tab.type(WORD)
    found = tab.until(
        "[...document.querySelectorAll('.md-search-result__link')].map(a => a.href)", f"result for '{WORD}'")
    for address in found[:3]:
        address = address.split("?")[0].split("#")[0]
        if not address.startswith(f"{site}/"):
            faults.append(f"a result for '{WORD}' leads to {address}")
        elif WORD not in urllib.request.urlopen(address).read().decode().lower():
            faults.append(f"a result for '{WORD}' leads to {address}, which does not have the word")
    time.sleep(1)  # What a page asks for late.
    return faults


def main() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Site, directory=str(FOLDER)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_address[1]}"
    tab = Reader()
    try:
        faults = read(tab, origin + BASE)
    except RuntimeError as error:
        faults = [str(error)]
    finally:
        tab.close()
        shutil.rmtree(browser_bench.HOME, ignore_errors=True)
    faults += sorted(set(tab.faults))
    others = {url for url in tab.requests if not url.startswith((origin + "/", "data:", "blob:", "about:"))}
    faults += [f"a page asks another host: {url}" for url in sorted(others)]
    if not any("search" in url for url in tab.requests):
        faults.append("no request of the search is seen: its worker is not watched")
    print("\n".join(faults) or f"site: read in Chromium, {len(tab.requests)} requests and none to another host",
          file=sys.stderr if faults else sys.stdout)
    sys.exit(1 if faults else 0)


main()
