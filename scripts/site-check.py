#!/usr/bin/env python3
"""Looks through a built site: site-check.py FOLDER. Every link leads to a file and an anchor that are there, and no page asks another host
for a script, style, font or picture."""

import html.parser
import pathlib
import re
import sys
import urllib.parse

root = pathlib.Path(sys.argv[1])
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


class Page(html.parser.HTMLParser):
    def __init__(self, path: pathlib.Path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list) -> None:
        named = dict(attributes)
        self.anchors |= {value for key, value in attributes if key in ("id", "name") and value}
        if tag == "a" and named.get("href"):
            self.links.append(named["href"])
        if tag in LOADED and named.get(LOADED[tag]) and named.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(named[LOADED[tag]])


pages = {path: Page(path) for path in sorted(root.rglob("*.html"))}
faults = []
for path, page in pages.items():
    where = path.relative_to(root)
    for address in page.links + page.loads:
        parts = urllib.parse.urlsplit(address)
        if parts.scheme or parts.netloc:
            if address in page.loads:
                faults.append(f"{where}: loads {address}")
            continue
        # The page for what is not there is shown below any path, so its links begin at the root.
        target = path if not parts.path else (
            root / parts.path.lstrip("/") if parts.path.startswith("/") else path.parent / parts.path).resolve()
        if target.is_dir():
            target /= "index.html"
        target = next((known for known in (target, root / target.name) if known.exists()), target) if path.name == "404.html" else target
        if not target.exists():
            faults.append(f"{where}: {address} leads nowhere")
        elif parts.fragment and target.suffix == ".html":
            anchors = pages.get(target) or pages.get(root / target.relative_to(root.resolve()))
            if anchors and urllib.parse.unquote(parts.fragment) not in anchors.anchors:
                faults.append(f"{where}: {address} has no such place")
# What styles and scripts would fetch by themselves.
for path in sorted([*root.rglob("*.css"), *root.rglob("*.js")]):
    for match in re.finditer(r"url\([\"']?(https?:)?//[^)]*\)|importScripts\([\"']https?:[^)]*\)", path.read_text("utf-8", "replace")):
        faults.append(f"{path.relative_to(root)}: fetches {match.group(0)[:80]}")
print("\n".join(faults), file=sys.stderr)
sys.exit(1 if faults else 0)
