"""From which iOS on a module's names are there, and which of them sources use.

Swift's own modules say it of each name, on Linux too, where the compiler does not read it. What says nothing is taken to be there: that
is the older part of Foundation (scripts/check-apple.py)."""

import concurrent.futures
import ctypes
import functools
import json
import os
import pathlib
import re
import subprocess

# Names that say it, in modules of the toolchain.
MODULES = ("Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch")
# What an older system answers with another name of the same spelling, which the compiler takes there.
REPLACED = {
    # The requirement is new; each type of integers has had the operator before.
    "FixedWidthInteger.&*(_:_:)",
    # `for await` calls `next()`.
    "AsyncStream.Iterator.next(isolation:)", "AsyncThrowingStream.Iterator.next(isolation:)",
}
# What no iOS has, and says nothing.
NEVER = {"Process"}
QUERY = re.compile(r"#(?:un)?available\(iOS (\d+(?:\.\d+)?)")

Version = tuple[int, int]


@functools.cache
def toolchain() -> pathlib.Path:
    info = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True)
    return pathlib.Path(json.loads(info.stdout)["paths"]["runtimeResourcePath"]).parent.parent


def version(text: str) -> Version:
    major, _, minor = text.partition(".")
    return int(major), int(minor or 0)


def introduced(folder: pathlib.Path, stubs: pathlib.Path, names: list[str]) -> dict[str, tuple[Version, str]]:
    """For each symbol the iOS that it came with, and how it is called; of the toolchain's modules and of these stubs."""
    def extract(module: str) -> None:
        subprocess.run(
            ["swift-symbolgraph-extract", "-module-name", module, "-target", "x86_64-unknown-linux-gnu", "-minimum-access-level", "public",
             "-I", str(stubs), "-output-dir", str(folder)], check=True, capture_output=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(extract, [*MODULES, *names]))
    found: dict[str, tuple[Version, str]] = {}
    for graph in folder.glob("*.symbols.json"):
        for symbol in json.loads(graph.read_bytes())["symbols"]:
            name = ".".join(symbol["pathComponents"])
            if name in NEVER:
                found[symbol["identifier"]["precise"]] = ((99, 0), name)
            for said in symbol.get("availability", []):
                if said.get("domain") == "iOS" and "introduced" in said and name not in REPLACED:
                    since = (said["introduced"]["major"], said["introduced"].get("minor", 0))
                    found[symbol["identifier"]["precise"]] = (since, name)
    return found


class _Text(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("count", ctypes.c_size_t)]

    def __str__(self) -> str:
        return ctypes.string_at(self.start, self.count).decode()


def uses(store: pathlib.Path):
    """Each use of a symbol that the compiler wrote into an index: file name, line, symbol."""
    library = ctypes.CDLL(str(toolchain() / "lib/libIndexStore.so"))
    pointer, number = ctypes.c_void_p, ctypes.c_uint
    visit = ctypes.CFUNCTYPE(ctypes.c_bool, pointer, pointer)
    for name, result, arguments in (
        ("store_create", pointer, [ctypes.c_char_p, pointer]),
        ("record_reader_create", pointer, [pointer, ctypes.c_char_p, pointer]),
        ("record_reader_occurrences_apply_f", ctypes.c_bool, [pointer, pointer, visit]),
        ("record_reader_dispose", None, [pointer]),
        ("occurrence_get_symbol", pointer, [pointer]),
        ("occurrence_get_line_col", None, [pointer, ctypes.POINTER(number), ctypes.POINTER(number)]),
        ("symbol_get_usr", _Text, [pointer]),
    ):
        function = getattr(library, f"indexstore_{name}")
        function.restype, function.argtypes = result, arguments
    opened = library.indexstore_store_create(str(store).encode(), None)
    found: list[tuple[str, int, str]] = []
    for record in sorted(store.glob("v*/records/*/*.swift-*")):
        file = record.name.rsplit("-", 1)[0]

        def take(_, occurrence) -> bool:
            line, column = number(), number()
            library.indexstore_occurrence_get_line_col(occurrence, ctypes.byref(line), ctypes.byref(column))
            found.append((file, line.value, str(library.indexstore_symbol_get_usr(library.indexstore_occurrence_get_symbol(occurrence)))))
            return True

        reader = library.indexstore_record_reader_create(opened, record.name.encode(), None)
        library.indexstore_record_reader_occurrences_apply_f(reader, None, visit(take))
        library.indexstore_record_reader_dispose(reader)
    return found


def is_asked(lines: list[str], number: int, since: Version) -> bool:
    """Whether one of the four lines up to this one asks whether the system is as new: `#available`."""
    asked = [version(text) for line in lines[max(0, number - 4):number] for text in QUERY.findall(line)]
    return any(answer >= since for answer in asked)
