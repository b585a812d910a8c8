#!/usr/bin/env python3
"""Type-checks what Apple's compiler would see: check-apple.py BUILD PACKAGE.

All files of the modules that run on devices, and each other file with a condition on the platform, are copied with the conditions as
they are there (iOS for devices, macOS else) and compiled against Tests/AppleStubs, which say what they stub: `Darwin` is Glibc with what
Apple's has in another shape. Modules for devices that tell macOS from iOS are compiled once more as on macOS. The compiler is Linux's, and so are Swift's own modules: what scripts/availability.py adds is from which iOS
on they have what is used. A file with a condition that was not checked is a fault."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import availability
import swift_options

ROOT = pathlib.Path(__file__).resolve().parent.parent
STUBS = ROOT / "Tests/AppleStubs"
# What apps on iOS link (scripts/check-manifest.py), each after what it imports.
DEVICE = [
    "PackJSON", "PackSystem", "PackFormat", "PackHTTP", "PackPatch", "PackTrust", "PackUpdater", "PackUpdaterOnline", "PackWeb",
    "PackWebOnline", "PackHost", "PackProxy", "PackWebKit",
]
# What others import in Apple's shape: `stat` goes from module to module, and the host and what is above it are built on the web side.
SHAPED = ["PackSystem", "PackWebOnline", "PackHost", "PackProxy", "PackWebKit"]
# Kiosks, which Package.swift has on Linux only.
LINUX = {"PackWebKitGTK", "packtool-kiosk"}

# The last one is made of another.
STUB_MODULES = ["Darwin", "WebKit", "Network", "os", "LiveUpdateProvider", "UIKit"]

TRUE = {"Darwin", "Foundation", "Dispatch", "WebKit", "Network", "os"}
FALSE = {"Glibc", "Musl", "Android", "FoundationEssentials", "FoundationNetworking"}
# What one of the two systems has.
ONE = {"UIKit": "iOS", "AppKit": "macOS"}
CONDITION = re.compile(r"^\s*#(?:if|elseif)\b.*\b(?:canImport|os)\(", re.M)
BOTH = re.compile(r"^\s*#(?:if|elseif)\b.*\bos\((?:macOS|iOS)\)", re.M)
APPKIT = re.compile(r"^\s*(?:\w+ )?import AppKit$", re.M)
QUESTION = re.compile(r"\b(canImport|os)\((\w+)\)")
FOUNDATION = re.compile(r"^(\s*(?:@\w+ )?(?:public |package |internal )?import )Foundation$", re.M)
# A warning is an error on Apple too, but for those that only the stubs cause.
OF_STUBS = re.compile(r"import of '(?:Darwin|FoundationNetworking|Foundation|UIKit|AppKit|os)' was not used")


class Fault(Exception):
    pass


def answer(question: re.Match, system: str) -> str:
    kind, name = question.groups()
    if kind == "os":
        return "true" if name == system else "false"
    if name in ONE:
        return "true" if ONE[name] == system else "false"
    if name not in TRUE | FALSE:
        raise Fault(f"scripts/check-apple.py does not know whether Apple's compiler has {name}")
    return "true" if name in TRUE else "false"


class Shapes:
    """What the stub `Darwin` has in another shape: each `X` is written `Darwin_X`."""

    def __init__(self):
        stub = (STUBS / "Darwin.swift").read_text(encoding="utf-8")
        names = set(re.findall(r"\bDarwin_(\w+)", stub))
        # A struct and a function of one name, as C has them: the function is told apart by its arguments.
        both = {name for name in names if re.search(rf"\bfunc {name}\(", stub)}
        first, second = "|".join(sorted(names - both)), "|".join(sorted(both))
        self.pattern = re.compile(
            rf"(?<![\w`])(?<!func )(?<!var )(?<!let )(?:(?<!\.)|(?<=Darwin\.))(?:({first})|({second})(?!\([^)]))(?![\w`])")

    def applied(self, line: str) -> str:
        return self.pattern.sub(lambda match: "Darwin_" + next(filter(None, match.groups())), line)


def as_on_apple(text: str, system: str, shapes: Shapes) -> str:
    """Line by line the same file: faults are found where they are."""
    had_network = "import FoundationNetworking" in text
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if re.match(r"\s*#(?:if|elseif)\b", line):
            lines[number] = QUESTION.sub(lambda question: answer(question, system), line)
        elif not line.lstrip().startswith("//"):
            lines[number] = shapes.applied(line)
    text = "\n".join(lines)
    # Apple's Foundation has the C library and the network's part too.
    parts = [] if "import Darwin" in text else ["Darwin"]
    parts += ["FoundationNetworking"] if had_network else []
    return FOUNDATION.sub(r"\1Foundation" + "".join(rf"; \1{part}" for part in parts), text)


class Checker:
    def __init__(self, build: pathlib.Path, package: str, folder: pathlib.Path):
        self.folder = folder
        self.sources = folder / "Sources"
        self.sources_macos = folder / "macOS"
        self.modules = folder / "modules"
        # What has another shape on macOS, found before the modules of the same name.
        self.modules_macos = folder / "modules-macOS"
        self.index = folder / "index"
        for made in (self.sources, self.sources_macos, self.modules, self.modules_macos):
            made.mkdir()
        self.shapes = Shapes()
        self.checked: set[pathlib.Path] = set()
        self.common = swift_options.common()
        self.package = package
        self.includes = ["-I", str(self.modules), "-I", str(build / "Modules")]
        for found in sorted((ROOT / "Sources").rglob("module.modulemap")):
            if found.parent.name != "CZstd":
                self.includes += ["-I", str(found.parent)]
        maps = swift_options.package_maps(build) + self.zstd()
        for found in maps:
            self.includes += ["-Xcc", f"-fmodule-map-file={found}"]
        self.includes += ["-Xcc", f"-I{self.folder / 'libzstd'}"]
        # Headers that the system keeps in folders of their own, as SwiftPM finds them.
        libraries = re.findall(r'pkgConfig: "([^"]+)"', (ROOT / "Package.swift").read_text(encoding="utf-8"))
        flags = subprocess.run(["pkg-config", "--cflags", *libraries], check=True, capture_output=True, text=True).stdout.split()
        self.includes += [part for flag in flags for part in ("-Xcc", flag)]
        # What an earlier run left in the user's cache would hide a header that is not found.
        self.includes += ["-module-cache-path", str(self.folder / "cache")]

    def zstd(self) -> list[pathlib.Path]:
        """zstd as a package's module, with the headers of the system; and CZstd over it, as SwiftPM makes its map."""
        library, shim = self.folder / "libzstd", self.folder / "CZstd"
        for made in (library, shim):
            made.mkdir()
        for header in ("zstd.h", "zstd_errors.h", "zdict.h"):
            shutil.copy(f"/usr/include/{header}", library)
        # lib/module.modulemap of facebook/zstd 1.5.6, but for its list of macros.
        (library / "module.modulemap").write_text(
            'module libzstd [extern_c] {\n header "zstd.h"\n export *\n module dictbuilder [extern_c] {\n header "zdict.h"\n export *\n }\n'
            ' module errors [extern_c] {\n header "zstd_errors.h"\n export *\n }\n}\n', encoding="utf-8")
        header = ROOT / "Sources/CZstdApple/include/CZstd.h"
        (shim / "module.modulemap").write_text(f'module CZstd {{\n umbrella header "{header}"\n export *\n}}\n', encoding="utf-8")
        return [library / "module.modulemap", shim / "module.modulemap"]

    def copy(self, file: pathlib.Path, system: str, folder: pathlib.Path | None = None) -> str:
        place = (folder or self.sources) / file.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text(encoding="utf-8")
        place.write_text(as_on_apple(text, system, self.shapes), encoding="utf-8")
        return str(place)

    def compile(self, arguments: list[str], what: str) -> None:
        run = subprocess.run(["swiftc", "-frontend", *arguments], capture_output=True, text=True)
        output = run.stderr.replace(f"{self.sources}/", "").replace(f"{self.sources_macos}/", "")
        output = "\n".join(line for line in output.split("\n") if not OF_STUBS.search(line))
        if run.returncode != 0 or re.search(r": (?:warning|error): ", output):
            raise Fault(f"{what}: as on Apple's systems it is not well-typed\n{output}")

    def stub(self, name: str) -> None:
        self.compile(
            ["-emit-module", *self.common, *self.includes, "-module-name", name, "-o", str(self.modules / f"{name}.swiftmodule"),
             str(STUBS / f"{name}.swift")], f"Tests/AppleStubs/{name}.swift")

    def stub_macos(self, name: str) -> None:
        self.compile(
            ["-emit-module", *self.common, "-I", str(self.modules_macos), *self.includes, "-D", "AS_ON_MACOS", "-module-name", name,
             "-o", str(self.modules_macos / f"{name}.swiftmodule"), str(STUBS / f"{name}.swift")], f"Tests/AppleStubs/{name}.swift")

    def check_macos(self, module: str, root: pathlib.Path) -> None:
        """Of a module for devices the files that tell macOS from iOS, and all if its types are AppKit's there."""
        files = sorted(root.rglob("*.swift"))
        texts = {file: file.read_text(encoding="utf-8") for file in files}
        of_appkit = any(APPKIT.search(text) for text in texts.values())
        arguments: list[str] = []
        for file in files:
            place = self.copy(file, "macOS", self.sources_macos)
            arguments += ["-primary-file", place] if of_appkit or BOTH.search(texts[file]) else [place]
        self.compile(
            ["-typecheck", *self.common, "-I", str(self.modules_macos), *self.includes, "-package-name", self.package,
             "-module-name", module, *arguments], f"{module} on macOS")

    def check(self, module: str, root: pathlib.Path) -> None:
        """All files of a module for devices, of others those with a condition."""
        is_device = module in DEVICE or root.parent.name == "Examples"
        system = "iOS" if is_device else "macOS"
        files = sorted(root.rglob("*.swift"))
        primary = [file for file in files if is_device or CONDITION.search(file.read_text(encoding="utf-8"))]
        arguments: list[str] = []
        for file in files:
            if file in primary:
                arguments += ["-primary-file", self.copy(file, system)]
            else:
                arguments.append(self.copy(file, system))
        if module == "PackWebOnline":
            arguments.append(str(STUBS / "CoreFoundation.swift"))
        # An app is a package of its own.
        package = self.package if module != "HostApp" else module
        options = [*self.common, *self.includes, "-package-name", package, "-module-name", module.replace("-", "_")]
        self.checked.update(primary)
        indexed = ["-index-store-path", str(self.index), "-index-ignore-clang-modules", "-index-ignore-stdlib"] if module in DEVICE else []
        self.compile(["-typecheck", *options, *indexed, *arguments], module)
        if module in SHAPED:
            whole = [argument for argument in arguments if argument != "-primary-file"]
            self.compile(
                ["-emit-module", *options, "-experimental-skip-all-function-bodies", "-o", str(self.modules / f"{module}.swiftmodule"), *whole],
                module)

    def too_new(self) -> list[str]:
        """What the oldest iOS of Package.swift does not have, and no line before asks for."""
        manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
        floor = availability.version(re.search(r"\.iOS\(\.v(\d+)\)", manifest).group(1))
        graphs = self.folder / "graphs"
        graphs.mkdir()
        since = availability.introduced(graphs, self.modules, STUB_MODULES)
        sources: dict[str, list[pathlib.Path]] = {}
        for file in self.checked:
            if self.is_device(file.relative_to(ROOT).parts):
                sources.setdefault(file.name, []).append(file)
        faults = set()
        for name, number, symbol in availability.uses(self.index):
            when, what = since.get(symbol, ((0, 0), ""))
            if when <= floor:
                continue
            # The index has a file's name only; of two with one name it is the one that has the word there.
            word = re.escape(what.split("(")[0].split(".")[-1])
            for file in sources[name]:
                lines = file.read_text(encoding="utf-8").split("\n")
                if number <= len(lines) and (len(sources[name]) == 1 or re.search(word, lines[number - 1])):
                    if not availability.is_asked(lines, number, when):
                        needed = f"iOS {when[0]}.{when[1]}" if when[0] < 99 else "another system than iOS"
                        faults.add(f"{file.relative_to(ROOT)}:{number}: {what} needs {needed}, and Package.swift says iOS {floor[0]}")
        return sorted(faults)

    @staticmethod
    def is_device(parts: tuple[str, ...]) -> bool:
        return parts[0] == "Sources" and parts[1] in DEVICE


def main() -> int:
    build, package = pathlib.Path(sys.argv[1]).absolute(), sys.argv[2]
    roots = {folder.name: folder for folder in sorted((ROOT / "Sources").iterdir()) if folder.is_dir()}
    roots["TestSupport"] = ROOT / "Tests/TestSupport"
    with_condition = {
        name: found for name, folder in roots.items()
        if name not in LINUX and (found := [file for file in folder.rglob("*.swift") if CONDITION.search(file.read_text(encoding="utf-8"))])
    }
    roots["HostApp"] = ROOT / "Examples/ios-host"
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(build, package, pathlib.Path(folder))
        faults: list[str] = []

        def run(work, names) -> None:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for future in [pool.submit(work, name) for name in names]:
                    try:
                        future.result()
                    except Fault as fault:
                        faults.append(str(fault))

        def check(name: str) -> None:
            started = time.monotonic()
            checker.check(name, roots[name])
            if os.environ.get("TIMES"):
                print(f"check-apple: {time.monotonic() - started:5.1f} s {name}")

        run(checker.stub, STUB_MODULES[:-1])
        run(checker.stub, STUB_MODULES[-1:])
        for name in ("AppKit", "WebKit"):
            run(checker.stub_macos, [name])
        run(check, ["PackSystem", "PackWebOnline"])
        run(check, ["PackHost", "PackProxy"])
        run(check, ["PackWebKit"])
        both = [
            name for name in DEVICE if any(BOTH.search(file.read_text(encoding="utf-8")) for file in roots[name].rglob("*.swift"))
        ]
        run(lambda name: checker.check_macos(name, roots[name]), both)
        run(check, [name for name in [*DEVICE, *(name for name in with_condition if name not in DEVICE), "HostApp"] if name not in SHAPED])
        for name, files in with_condition.items():
            for file in sorted(set(files) - checker.checked):
                faults.append(f"{file.relative_to(ROOT)}: its branches for Apple's systems were not checked")
        if not faults:
            faults += checker.too_new()
        if faults:
            print("\n".join(faults), file=sys.stderr)
            return 1
        count = sum(len(files) for files in with_condition.values())
        print(f"check-types: as on Apple's systems {len(checker.checked)} files are well-typed, among them all {count} with a branch for them")
        print(f"check-types: as on macOS too: {', '.join(both)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
