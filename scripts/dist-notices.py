#!/usr/bin/env python3
"""Writes the licences and notices of what is linked into an executable without a library of its own.

dist-notices.py BUILD SBOM

BUILD is the build's folder, which has the checkouts of the Swift packages; SBOM lists those that are linked. Each package's own files
are copied as they are, and the copyright lines of the C sources that a package carries, such as BoringSSL's, are listed. Swift's
licence is the toolchain's, and ICU's, which Foundation contains, is Debian's copy. The same input gives the same bytes.
"""

import json
import pathlib
import re
import shutil
import sys

PAPERS = re.compile(r"(LICEN[CS]E|NOTICE|COPYING)", re.IGNORECASE)
ICU = pathlib.Path("/usr/share/doc/libicu72/copyright")


def papers(folder: pathlib.Path) -> list[pathlib.Path]:
    """A package's own first, then those of what it has taken into its sources."""
    own = [path for path in folder.iterdir() if path.is_file()]
    taken = [path for path in (folder / "Sources").rglob("*") if path.is_file()]
    return [path for part in (own, taken) for path in sorted(part) if PAPERS.match(path.name)]


def owners(folder: pathlib.Path) -> str:
    """The lines by which the C sources of a package name their owners, and the terms of those that have terms of their own."""
    lines, terms = set(), set()
    for path in (folder / "Sources").rglob("*"):
        if path.suffix not in (".c", ".cc", ".h", ".S"):
            continue
        head = path.read_text(encoding="utf-8", errors="replace")[:6000]
        lines |= {line.strip(" */#@").rstrip(".") for line in re.findall(r"(?mi)^.*Copyright (?:\(c\) )?\d{4}.*$", head)}
        for comment in re.findall(r"(?s)/\*.*?\*/|(?://[^\n]*\n)+", head):
            if "Redistribution and use" in comment or "Permission is hereby" in comment or "Permission to use" in comment:
                terms.add("\n".join(line.strip(" */").rstrip() for line in comment.splitlines()).strip())
    return "\n\n".join(["\n".join(sorted(lines)), *sorted(terms)]).strip()


def section(title: str, text: str) -> str:
    return f"{'=' * 80}\n{title}\n{'=' * 80}\n\n{text.strip()}\n\n"


def main() -> None:
    build, bill = map(pathlib.Path, sys.argv[1:])
    identities = {part["name"]: part for part in json.loads(bill.read_text(encoding="utf-8"))["components"]}
    state = json.loads((build / "workspace-state.json").read_text(encoding="utf-8"))
    text = "What packtool's executables contain besides packtool: the licences and notices of each part.\n\n"
    for dependency in sorted(state["object"]["dependencies"], key=lambda item: item["packageRef"]["identity"]):
        name = dependency["packageRef"]["identity"]
        if name not in identities:
            continue
        folder = build / "checkouts" / dependency["subpath"]
        files = papers(folder)
        if not any(path.parent == folder and not path.name.upper().startswith("NOTICE") for path in files):
            sys.exit(f"notices: {name} has no licence in {folder}")
        for path in files:
            text += section(f"{name} {identities[name]['version']}: {path.relative_to(folder)}", path.read_text(encoding="utf-8"))
        if text_of_owners := owners(folder):
            text += section(f"{name} {identities[name]['version']}: owners of its C sources", text_of_owners)
    swift = shutil.which("swift")
    toolchain = pathlib.Path(swift).resolve().parent.parent / "share/swift/LICENSE.txt"
    text += section(f"swift {identities['swift']['version']}: LICENSE.txt", toolchain.read_text(encoding="utf-8"))
    text += section("ICU, in Swift's Foundation: as Debian has it", ICU.read_text(encoding="utf-8"))
    sys.stdout.write(text)


main()
