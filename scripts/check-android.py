#!/usr/bin/env python3
"""Type-checks what Swift's compiler for Android would see of libpackhost: check-android.py BUILD PACKAGE.

Of the modules that it is made of, each file that chooses a system or imports a C library is copied with the choice made for Android, and
compiled against a stub of the module `Android` (Tests/AndroidStubs/Android.swift) and what Sources/CSync has there. `import Glibc` is an
error. The compiler is Linux's, and so are Foundation's and Swift's own modules and the sizes of C's types."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import swift_options

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRUE = {"Android", "FoundationEssentials", "Dispatch"}
FALSE = {"Glibc", "Musl", "Darwin", "WebKit", "UIKit", "AppKit", "Network", "Linux", "macOS", "iOS", "FoundationNetworking"}
QUESTION = re.compile(r"\b(?:canImport|os)\((\w+)\)")
# Each file with a choice that Linux's build makes in another way, and each that has a C library.
CHOICE = re.compile(r"^\s*#(?:if|elseif)\b.*\b(?:canImport\((?!FoundationEssentials\))|os\()|^\s*(?:\w+ )?import (?:Glibc|Musl|Darwin|Android)$", re.M)
STUB = ROOT / "Tests/AndroidStubs/Android.swift"
# What the stub has in another shape: each `x` is written `Android_x`.
SHAPED = re.compile(r"\b(?:" + "|".join(re.findall(r"Android_(\w+)[(:]", STUB.read_text(encoding="utf-8"))) + r")\b")
FOREIGN = re.compile(r"^(\s*(?:@\w+ )?(?:public |package |internal )?import )(?:Glibc|Musl|Darwin)$", re.M)


def modules() -> list[str]:
    """PackHostC and the modules that Package.swift says it needs, the largest first."""
    manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
    targets = re.findall(r'(?:module\(|name:)\s*"(Pack\w+)",\s*(?:dependencies:\s*)?\[([^\]]*)\]', manifest)
    needs = {name: re.findall(r'"(Pack\w+)"', list_) for name, list_ in targets if not name.endswith("Tests")}
    found, queue = set(), ["PackHostC"]
    while queue:
        if (name := queue.pop()) not in found:
            found.add(name)
            queue += needs[name]
    return sorted(found, key=lambda name: (-len(list((ROOT / "Sources" / name).rglob("*.swift"))), name))


def answer(question: re.Match) -> str:
    name = question.group(1)
    if name not in TRUE | FALSE:
        sys.exit(f"scripts/check-android.py does not know whether Swift for Android has {name}")
    return "true" if name in TRUE else "false"


def as_on_android(text: str) -> str:
    """Line by line the same file: faults are found where they are."""
    lines = FOREIGN.sub(r"\1NotOnAndroid", text).split("\n")
    for number, line in enumerate(lines):
        if re.match(r"\s*#(?:if|elseif)\b", line):
            lines[number] = QUESTION.sub(answer, line)
        elif not line.lstrip().startswith("//"):
            lines[number] = SHAPED.sub(r"Android_\g<0>", line)
    return "\n".join(lines)


class Checker:
    def __init__(self, build: pathlib.Path, package: str, folder: pathlib.Path):
        self.folder = folder
        maps = [found for found in (ROOT / "Sources").rglob("module.modulemap") if found.parent.name not in {"CSync", "CZstdApple"}]
        maps += swift_options.package_maps(build)
        # As the NDK's compiler reads it.
        (folder / "sync.h").write_text(f'#define __ANDROID__ 1\n#include "{ROOT / "Sources/CSync/shim.h"}"\n', encoding="utf-8")
        (folder / "sync.modulemap").write_text('module CSync [system] {\n header "sync.h"\n export *\n}\n', encoding="utf-8")
        maps.append(folder / "sync.modulemap")
        self.options = swift_options.common() + [
            "-package-name", package, "-I", str(folder), "-I", str(build / "Modules"), "-module-cache-path", str(folder / "cache"),
        ]
        for found in sorted(maps):
            self.options += ["-Xcc", f"-fmodule-map-file={found}"]

    def compile(self, arguments: list[str]) -> str:
        run = subprocess.run(["swiftc", "-frontend", *self.options, *arguments], capture_output=True, text=True)
        # A warning is an error there too.
        failed = run.returncode != 0 or re.search(r": (?:warning|error): ", run.stderr)
        return run.stderr.replace(f"{self.folder}/", "") if failed else ""

    def stub(self) -> str:
        return self.compile(["-emit-module", "-module-name", "Android", "-o", str(self.folder / "Android.swiftmodule"), str(STUB)])

    def check(self, module: str) -> tuple[int, str]:
        arguments, count = [], 0
        for file in sorted((ROOT / "Sources" / module).rglob("*.swift")):
            text = file.read_text(encoding="utf-8")
            if not CHOICE.search(text):
                arguments.append(str(file))
                continue
            place = self.folder / file.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(as_on_android(text), encoding="utf-8")
            arguments += ["-primary-file", str(place)]
            count += 1
        return count, self.compile(["-typecheck", "-module-name", module, *arguments]) if count else ""


def main() -> int:
    build, package = pathlib.Path(sys.argv[1]).absolute(), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(build, package, pathlib.Path(folder))
        faults = checker.stub()
        count = 0
        if not faults:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for number, found in pool.map(checker.check, modules()):
                    count += number
                    faults += found
    if faults:
        print(f"as on Android, libpackhost is not well-typed:\n{faults}", file=sys.stderr)
        return 1
    print(f"check-types: as on Android the {count} files of libpackhost that choose a system are well-typed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
