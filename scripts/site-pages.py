#!/usr/bin/env python3
"""Lays out the pages of the documentation site: site-pages.py OUT. Documents move up, so their links do too; what is no page becomes text."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
out = pathlib.Path(sys.argv[1])
# Code is taken as it is.
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)|```.*?```|``.*?``|`[^`]*`", re.DOTALL)

pages = {ROOT / "README.md": "index.md", ROOT / "LICENSE": "LICENSE.md"}
for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
    pages[ROOT / name] = name
for path in sorted((ROOT / "docs").rglob("*")):
    if path.is_file() and path.suffix in (".md", ".json", ".css", ".svg"):
        pages[path] = path.name if path.parent.name == "site" else path.relative_to(ROOT / "docs").as_posix()
index = {ROOT / "docs/decisions": "decisions/index.md"}


def moved(page: pathlib.Path, place: str) -> str:
    def link(match: re.Match) -> str:
        text, target, anchor = match.groups()
        if target is None:
            return match.group(0)
        path = (page.parent / target).resolve()
        if not path.exists():
            sys.exit(f"{page.relative_to(ROOT)}: {target} is not there")
        there = pages.get(path) or index.get(path)
        if there is None:
            return text if text.startswith("`") else f"`{path.relative_to(ROOT).as_posix()}`"
        up = "../" * place.count("/")
        return f"[{text}]({up}{there}{anchor or ''})"

    # The word behind a block's language names a machine for the tests; the site's Markdown would not see a block there.
    text = re.sub(r"(?m)^```(\w+) \w+$", r"```\1", page.read_text(encoding="utf-8"))
    return LINK.sub(link, text)


for page, place in pages.items():
    file = out / place
    file.parent.mkdir(parents=True, exist_ok=True)
    if page.name == "LICENSE":
        file.write_text("# License\n\n```text\n" + page.read_text(encoding="utf-8") + "```\n", encoding="utf-8")
    elif page.suffix == ".md":
        file.write_text(moved(page, place), encoding="utf-8")
    else:
        file.write_bytes(page.read_bytes())

rows = []
for page in sorted((ROOT / "docs/decisions").glob("*.md")):
    title = page.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")
    rows.append(f"- [{title}]({page.name})")
(out / "decisions/index.md").write_text("# Decisions\n\nWhy it is as it is.\n\n" + "\n".join(rows) + "\n", encoding="utf-8")
