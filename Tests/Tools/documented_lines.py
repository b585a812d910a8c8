#!/usr/bin/env python3
"""The command lines in code blocks of all pages of the site: each is executed by a test, or is excused with a reason.

documented_lines.py PROJECT coverage        faults, one a line; exit code 1 if there are some
documented_lines.py PROJECT walks           the names of the walks
documented_lines.py PROJECT walk NAME FOLDER PORT   carries out a walk of documented_walks.py in a folder, with the packtool of PATH
"""

import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

from documented_walks import ELSEWHERE, EXCUSED, WALKS

# What begins a command line in an indented block. A line with options counts in any case, so a new program is not overlooked.
PROGRAMS = set("""apt-get brew cat cc code-push cordova cp curl docker export gh git java javac ls make minisign node npm npx packtool
packtool-kiosk podman python3 rsync runuser sed sha256sum sh ssh systemctl tar unzip wget zstd""".split())


@dataclass(frozen=True)
class Line:
    document: str
    section: str
    text: str


def commands_of(path: pathlib.Path, document: str) -> list[Line]:
    found, section, fence, ends_open = [], "", None, False
    for raw in path.read_text(encoding="utf-8").splitlines():
        if raw.startswith("```"):
            fence = raw[3:].split(" ")[0] if fence is None else None
            continue
        if fence is None and (title := re.match(r"#+ (.*)", raw)):
            section = title.group(1)
            continue
        indented = fence is None and re.match(r" {4,}\S", raw)
        if not indented and fence not in ("sh", "bash", "shell", "console"):
            continue
        text = re.sub(r"\s+# .*$", "", raw.strip())
        # A line that goes on in the next one is one command.
        if ends_open and found:
            found[-1] = Line(document, section, f"{found[-1].text.removesuffix(chr(92)).strip()} {text}")
        elif fence == "console":
            if text.startswith("$ "):
                found.append(Line(document, section, text[2:]))
        elif fence or is_command(text):
            found.append(Line(document, section, text))
        else:
            continue
        ends_open = text.endswith("\\")
    return found


def is_command(text: str) -> bool:
    word = re.sub(r"^([A-Z_]+=\S* +)+", "", text).split(" ")[0]
    cron = text.startswith("*/")
    assigned = re.match(r"[A-Z_]+=\$\(", text)
    options = re.match(r"[a-z][\w.-]* (?:[^{}:;]* )?--?[a-z][a-z-]*\b", text) and not re.search(r"[.…;]$|, ", text)
    return bool(word in PROGRAMS or word.startswith("./") or cron or assigned or options)


def all_lines(project: pathlib.Path) -> list[Line]:
    """Those of all pages of the site (scripts/site-pages.py)."""
    documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + sorted(
        path.relative_to(project).as_posix() for path in (project / "docs").rglob("*.md"))
    return [line for document in documents for line in commands_of(project / document, document)]


def of_walk(lines: list[Line], walk: dict) -> list[Line]:
    excused = [line for line in lines if line.text in EXCUSED.get((walk["document"], walk["section"]), {})]
    return [line for line in lines if (line.document, line.section) == (walk["document"], walk["section"]) and line not in excused]


def coverage(project: pathlib.Path) -> list[str]:
    lines, faults = all_lines(project), []
    places = {(line.document, line.section) for line in lines}
    texts = {(line.document, line.section, line.text) for line in lines}
    walked = {(walk["document"], walk["section"]) for walk in WALKS.values()}
    for line in lines:
        place = (line.document, line.section)
        elsewhere = place in ELSEWHERE or (line.document, None) in ELSEWHERE
        excuse = EXCUSED.get(place, {}).get(line.text)
        ways = [elsewhere and not excuse, place in walked and not excuse, excuse is not None]
        if sum(map(bool, ways)) != 1:
            faults.append(f"{line.document}, {line.section}: {'more than one' if any(ways) else 'no'} test for: {line.text}")
    faults += [f"no such section: {place}" for place in walked | set(EXCUSED) | set(ELSEWHERE)
               if place not in places and not (place[1] is None and any(document == place[0] for document, _ in places))]
    for place, excuses in EXCUSED.items():
        faults += [f"excused, but not there: {place}: {text}" for text in excuses if (*place, text) not in texts]
        faults += [f"excused without a reason: {text}" for text, reason in excuses.items() if len(reason) < 10]
    # Nobody executes a build here, so at least what it names is there.
    targets = set(re.findall(r"^([a-z-]+):", (project / "Makefile").read_text(encoding="utf-8"), re.M))
    for line in lines:
        if match := re.match(r"make ([a-z-]+)(?: FILTER=(\w+))?$", line.text):
            target, chosen = match.groups()
            if target not in targets or chosen and not (project / "Tests" / chosen).is_dir():
                faults.append(f"{line.document}, {line.section}: the Makefile or Tests does not have what this names: {line.text}")
    for place, (file, title) in ELSEWHERE.items():
        if title not in (project / file).read_text(encoding="utf-8"):
            faults.append(f"{place}: {file} has no test '{title}'")
    return faults


SHELL = """set -euo pipefail
servers=()
# What the line before printed.
last=$PWD/.last
trap 'for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done; wait' EXIT
# A server in the background, until it answers.
serve() {
    "$@" >served.log 2>&1 &
    servers+=($!)
    for _ in $(seq 300); do
        if grep -q 'http://' served.log; then return; fi
        kill -0 "${servers[-1]}" || break
        sleep 0.1
    done
    cat served.log >&2
    echo "error: it does not serve: $*" >&2
    return 1
}
ended() { for server in "${servers[@]}"; do kill "$server"; wait "$server" || true; done; servers=(); }
make() { # PACKAGE VERSION
    mkdir -p site && echo "<title>$1 $2</title><script>packtool.confirm()</script>" >site/index.html
    packtool build site --package "$1" --package-version "$2" --out packages --quiet
}
"""


def walk(project: pathlib.Path, name: str, folder: str, port: str) -> int:
    this = WALKS[name]
    script = SHELL + this.get("before", "") + "\n"
    lines = of_walk(all_lines(project), this)
    if not lines:
        sys.exit(f"there are no lines in {this['document']}, {this['section']}")
    between = dict(this.get("between", {}))
    for line in lines:
        for prefix in [prefix for prefix in between if line.text.startswith(prefix)]:
            script += between.pop(prefix) + "\n"
        text = line.text
        for old, new in this.get("instead", {}).items():
            text = text.replace(old, new)
        script += f"echo {shell_quoted('$ ' + text)}\n"
        if text.startswith("packtool serve"):
            script += f"serve {text}{'' if '--port' in text else ' --port 8787'}\n"
        else:
            script += f"{{ {text}\n}} >$last\ncat $last\n"
    if between:
        sys.exit(f"no line begins with {list(between)}")
    script += this.get("after", "") + "\n"
    script = script.replace("8787", port)
    return subprocess.run(["bash", "-c", script], cwd=folder, env=os.environ | {"PORT": port}).returncode


def shell_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def main() -> None:
    project, what, *rest = sys.argv[1:]
    if what == "coverage":
        faults = coverage(pathlib.Path(project))
        print("\n".join(faults))
        sys.exit(1 if faults else 0)
    if what == "walks":
        print("\n".join(WALKS))
    elif what == "walk":
        sys.exit(walk(pathlib.Path(project), *rest))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
