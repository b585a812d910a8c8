#!/usr/bin/env python3
"""The borders of docs/ARCHITECTURE.md, checked on the sources: who may import whom, arrows that go only down, no dependency that nobody
imports, no circles of folders, no drawers, no traps, no long files."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What each module may import. Swift's own and the system's modules are in BASE; all else must be named here.
BASE = {"CSync", "CDispatch", "Foundation", "FoundationEssentials", "Swift", "Glibc", "Musl", "Android", "Darwin", "Dispatch", "Synchronization", "os"}
# Foundation's own on Linux: the rules of a registry have no network.
NETWORK = {"FoundationNetworking"}
APPLE = {"WebKit", "UIKit", "AppKit", "Network", "Security", "CoreFoundation", "ObjectiveC"}
SERVER = {
    "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "HTTPTypes", "ServiceLifecycle", "UnixSignals", "Logging",
    "NIOCore", "NIOPosix", "NIOHTTPTypes", "NIOSSL", "NIOTLS", "NIOHTTP1",
}
ALLOWED = {
    "PackJSON": set(),
    "PackFormat": {"PackJSON", "Crypto"},
    "PackHTTP": {"PackFormat"} | NETWORK,
    "PackAuthorities": {"CCurlHandles"},
    "PackSystem": set(),
    "PackArchive": {"PackFormat", "PackSystem", "Crypto", "CArchive", "CZlib", "CDeflate", "CZopfli"},
    "PackPatch": {"PackFormat", "PackJSON", "Crypto", "CZstd"},
    "PackTrust": {"PackJSON", "PackSystem", "Crypto", "CryptoExtras"},
    "PackKeys": {"PackSystem", "PackTrust"},
    "PackRegistryAPI": {"PackFormat", "PackJSON", "PackSystem"},
    "PackBuilder": {"PackFormat", "PackJSON", "PackArchive", "PackSystem"},
    "PackRegistry": {"PackRegistryAPI", "PackFormat", "PackJSON", "PackPatch", "PackTrust"},
    "PackDashboard": {"PackRegistryAPI", "PackFormat"},
    "PackPublisher": {
        "PackRegistryAPI", "PackRegistry", "PackFormat", "PackHTTP", "PackJSON", "PackArchive", "PackKeys", "PackPatch", "PackTrust",
        "PackSystem", "Crypto",
    } | NETWORK,
    "PackRegistrySQL": {"PackRegistry", "PackRegistryAPI", "PackFormat", "PackJSON", "PackSystem", "PackTrust"},
    "PackRegistryPostgres": {"PackRegistry", "PackRegistrySQL", "PackRegistryAPI", "PackFormat", "PackJSON", "CPostgreSQL"},
    "PackRegistryS3": {
        "PackRegistry", "PackRegistryAPI", "PackFormat", "PackJSON", "PackArchive", "PackSystem", "AsyncHTTPClient", "Crypto", "NIOCore", "NIOSSL",
        "NIOHTTP1",
    },
    "PackRegistryLocal": {
        "PackRegistry", "PackRegistryAPI", "PackRegistrySQL", "PackPublisher", "PackFormat", "PackJSON", "PackArchive", "PackPatch", "PackTrust",
        "PackSystem", "GRDB", "GRDBSQLite",
    },
    "PackRegistryServer": {
        "PackArchive", "PackDashboard", "PackRegistry", "PackRegistryAPI", "PackFormat", "PackJSON", "PackTrust", "PackSystem", "Crypto", "CryptoExtras",
    } | SERVER,
    "PackImporter": {"PackArchive", "PackBuilder", "PackFormat", "PackJSON", "PackPublisher", "PackRegistryAPI", "PackSystem"},
    "PackDoctor": {"PackPublisher", "PackRegistryAPI", "PackFormat", "PackHTTP", "PackJSON", "PackKeys", "PackTrust", "PackWeb"} | NETWORK,
    "PackUpdater": {"PackFormat", "PackJSON", "PackPatch", "PackSystem", "PackTrust", "Crypto"},
    "PackUpdaterOnline": {"PackFormat", "PackHTTP", "PackUpdater"} | NETWORK,
    "PackCurl": {"CCurlExchange", "PackFormat", "PackSystem", "PackUpdater"},
    "PackWeb": {"PackFormat"},
    "PackWebOnline": {"PackFormat", "PackWeb"} | APPLE | NETWORK,
    "PackHost": {"PackFormat", "PackJSON", "PackUpdater", "PackWeb", "PackWebOnline"} | APPLE,
    "PackHostC": {"CPackHost", "PackCurl", "PackFormat", "PackHost", "PackJSON", "PackUpdater", "PackWeb"},
    "PackProxy": {"PackWeb", "PackWebOnline", "PackFormat", "Crypto", "X509", "SwiftASN1", "NIOCore", "NIOPosix", "NIOHTTP1", "NIOHTTP2", "NIOSSL", "NIOTLS"} | NETWORK,
    "PackWebKit": {"PackFormat", "PackHost", "PackProxy", "PackUpdater", "PackUpdaterOnline", "PackWeb", "PackWebOnline"} | APPLE,
    "PackWebKitGTK": {"PackWeb", "PackWebOnline", "CWebKitGTK"} | NETWORK,
    "tuf-client": {"PackTrust"},
}
# An arrow goes only down: a module imports modules of lower floors. docs/ARCHITECTURE.md and Package.swift have the same floors.
FLOORS = [
    {"PackJSON", "PackSystem", "PackAuthorities"},
    {"PackFormat"},
    {"PackArchive", "PackHTTP", "PackPatch", "PackTrust", "PackRegistryAPI", "PackWeb"},
    {"PackBuilder", "PackDashboard", "PackKeys", "PackRegistry", "PackUpdater", "PackWebOnline"},
    {"PackCurl", "PackHost", "PackProxy", "PackPublisher", "PackRegistryS3", "PackRegistrySQL", "PackUpdaterOnline", "PackWebKitGTK"},
    {"PackDoctor", "PackHostC", "PackImporter", "PackRegistryLocal", "PackRegistryPostgres", "PackRegistryServer", "PackWebKit"},
    {"packtool", "packtool-kiosk", "tuf-client"},
]
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}
# Modules that are rules or bytes only: the network, the clock and the database stay outside.
PURE = {"PackJSON", "PackFormat", "PackPatch"}
# What libpackhost is made of. Foundation brings 40 MB of tables of languages: they import FoundationEssentials where it is a module of
# its own (decision 51).
ESSENTIAL = {
    "PackJSON", "PackSystem", "PackFormat", "PackPatch", "PackTrust", "PackUpdater", "PackCurl", "PackWeb", "PackHost", "PackHostC",
}
DRAWERS = re.compile(r"^(utils?|helpers?|extensions?|managers?|misc|common)$", re.IGNORECASE)
TRAPS = re.compile(r"\b(try!|as!|fatalError\(|preconditionFailure\(|precondition\(|@unchecked Sendable)")
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)"
)
CLOCK = re.compile(r"\b(Date\(\)|Date\.now|URLSession|ContinuousClock|SystemRandomNumberGenerator)")
# Where the compiler may be told that a value is safe to share: beside a C pointer, all in PackWebKitGTK, PackHostC and PackCurl, and in two places whose
# comments say why.
UNSAFE = {
    "PackHostC/Answers/HeldAnswer.swift": ["response", "memory"],
    "PackHostC/Handles/HeldText.swift": ["bytes"],
    "PackPatch/Memory/Cores.swift": ["(start, body)"],
    "PackCurl/CurlLoop.swift": ["pool"],
    "PackWebOnline/Adapters/URLProtocolClientSink.swift": ["owner", "target"],
    "PackWebKitGTK/Downloads/DownloadDoor.swift": ["(data, download)"],
    "PackWebKitGTK/View/HookMessageHandler.swift": ["(value, reply, data)", "(heldContext, heldReply)"],
    "PackWebKitGTK/View/PackageView+Hook.swift": ["held"],
    "PackWebKitGTK/Scheme/PackageScheme.swift": ["(asked, owner)"],
    "PackWebKitGTK/Scheme/WebKitSchemeTask.swift": ["request", "request"],
    "PackWebKitGTK/View/PackageView+Page.swift": ["surface"],
    "PackWebKitGTK/View/PackageView+Signals.swift": ["decision", "dialog", "data", "(held, view)"],
    "PackWebKitGTK/View/PackageView+Workers.swift": ["list", "first"],
    "PackWebKitGTK/View/WebKitCookieStore.swift": ["context", "context"],
}
UNSAFE_USE = re.compile(r"nonisolated\(unsafe\)(?:.*?\b(?:let|var) (\([^)]*\)|\w+))?")
# What runs on a device must build for iOS 16, and `Mutex` needs 18.
DEVICE = {
    "PackJSON", "PackFormat", "PackPatch", "PackSystem", "PackTrust", "PackUpdater", "PackUpdaterOnline", "PackWeb", "PackWebOnline",
    "PackHost", "PackHostC", "PackProxy", "PackWebKit",
}
LONGEST = 400
STRING = re.compile(r'"[^"]*"')
TYPE = re.compile(
    r"^(?:@\w+\s+)*(?:public |package |final |nonisolated |indirect )*(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)", re.M)
# Programs that tests start, and import only where they look inside.
PROGRAMS = {"packtool", "packtool-kiosk", "tuf-client"}

faults = []
imports: dict[str, set[str]] = {}


def check(path: pathlib.Path, module: str) -> None:
    where = path.relative_to(ROOT)
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    generated = text.startswith("// Generated by ")
    unsafe: list[str] = []
    if len(lines) > LONGEST and not generated:
        faults.append(f"{where}: {len(lines)} lines; above {LONGEST} a file has more than one job: split it")
    for part in where.parts[2:]:
        if DRAWERS.match(pathlib.Path(part).stem):
            faults.append(f"{where}: '{part}' is a drawer; name it by its domain word")
    for number, line in enumerate(lines, start=1):
        code = line.split("//", 1)[0]
        if match := IMPORT.match(code):
            imported = match.group(1)
            imports.setdefault(module, set()).add(imported)
            allowed = ALLOWED.get(module)
            if module in ESSENTIAL and imported == "Foundation" and lines[number - 2].strip() != "#else":
                faults.append(f"{where}:{number}: libpackhost has no Foundation: import FoundationEssentials where it is a module")
            if allowed is not None and imported not in allowed | BASE:
                faults.append(f"{where}:{number}: {module} must not import {imported} (docs/ARCHITECTURE.md)")
        if generated:
            continue
        if match := TRAPS.search(code):
            faults.append(f"{where}:{number}: {match.group(1)} traps or promises without proof; throw an error instead")
        if match := UNSAFE_USE.search(code):
            unsafe.append(match.group(1) or "")
        if module in DEVICE and IMPORT.match(code) and IMPORT.match(code).group(1) == "Synchronization" and path.name != "Locked.swift":
            faults.append(f"{where}:{number}: {module} must build for iOS 16, which has no Mutex: use Locked of PackFormat")
        if module in PURE and (match := CLOCK.search(code)):
            faults.append(f"{where}:{number}: {module} is pure; {match.group(1)} comes in through a parameter")
    if unsafe != (allowed := UNSAFE.get("/".join(where.parts[1:]), [])):
        faults.append(f"{where}: nonisolated(unsafe) at {unsafe or 'no place'}, where scripts/check-sources.py allows {allowed or 'none'}")


def folders_in_a_circle(module: str) -> list[str]:
    """The folders of a module that need each other, by the names of their types."""
    root = ROOT / "Sources" / module
    texts: dict[str, str] = {}
    home: dict[str, str] = {}
    for path in sorted(root.rglob("*.swift")):
        parts = path.relative_to(root).parts
        folder = parts[0] if len(parts) > 1 else "."
        text = path.read_text(encoding="utf-8")
        texts[folder] = texts.get(folder, "") + "\n".join(STRING.sub("", line.split("//", 1)[0]) for line in text.splitlines())
        for name in TYPE.findall(text):
            home.setdefault(name, folder)
    needs = {folder: {home[word] for word in re.findall(r"\b[A-Z]\w+\b", text) if word in home} - {folder}
             for folder, text in texts.items()}
    # What is left when whoever needs nobody, or is needed by nobody, is taken away, is in a circle.
    while True:
        free = [f for f in needs if not needs[f] or not any(f in others for others in needs.values())]
        if not free:
            return sorted(needs)
        for folder in free:
            del needs[folder]
        for others in needs.values():
            others.difference_update(free)


def check_floors(where: str, found: list[tuple[str, str, str]]) -> None:
    """Compares floors, and the modules after each, with the table."""
    floor, named = None, {}
    for number, *names in found:
        floor = int(number) if number else floor
        named |= {name: floor for name in names if name in FLOOR and floor is not None}
    for name in sorted(name for name in FLOOR if named.get(name) != FLOOR[name]):
        faults.append(f"{where}: {name} is of floor {FLOOR[name]} (scripts/check-sources.py), and not at {named.get(name, 'none')}")


def declared() -> dict[str, set[str]]:
    """What Package.swift declares for each target, by the names that sources import."""
    text = (ROOT / "Package.swift").read_text(encoding="utf-8")
    products = dict(re.findall(r'let (\w+): Target\.Dependency = \.(?:product|target)\(\s*name: "(\w+)"', text))
    lists = re.findall(r'(?:module|tests)\(\s*"([\w-]+)",\s*\[([^\]]*)\]', text)
    lists += re.findall(r'name: "([\w-]+)",\s*dependencies: \[([^\]]*)\]', text)
    return {
        name: {products.get(word, word.strip('"')) for word in re.findall(r'"[\w-]+"|\w+', listed)} for name, listed in lists
    }


for path in sorted((ROOT / "Tests").rglob("*.swift")):
    for line in path.read_text(encoding="utf-8").splitlines():
        if match := IMPORT.match(line.split("//", 1)[0]):
            imports.setdefault(path.relative_to(ROOT / "Tests").parts[0], set()).add(match.group(1))
for path in sorted((ROOT / "Sources").rglob("*.swift")):
    check(path, path.relative_to(ROOT / "Sources").parts[0])
for path in sorted((ROOT / "Tests").rglob("*.swift")):
    count = len(path.read_text(encoding="utf-8").splitlines())
    if count > LONGEST * 2:
        faults.append(f"{path.relative_to(ROOT)}: {count} lines; split it by what it is about")
for folder in ("Sources", "Tests", "scripts", "Benchmarks", "Examples", "templates"):
    for path in sorted(path for kind in ("*.py", "*.js") for path in (ROOT / folder).rglob(kind) if not {"node_modules", ".build"} & set(path.parts)):
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST:
            faults.append(f"{path.relative_to(ROOT)}: {count} lines; split it by what it is about")

for name in sorted(name for name in UNSAFE if not (ROOT / "Sources" / name).is_file()):
    faults.append(f"scripts/check-sources.py: there is no Sources/{name}: take it off the list")
modules = {path.name for path in (ROOT / "Sources").iterdir() if next(path.rglob("*.swift"), None)}
for module in sorted(modules):
    if circle := folders_in_a_circle(module):
        faults.append(f"Sources/{module}: folders need each other in a circle, among them {', '.join(circle)}")
for name in sorted(modules ^ FLOOR.keys()):
    faults.append(f"scripts/check-sources.py: {name} is {'a module without a floor' if name in modules else 'no module, and has a floor'}")
for module in sorted(modules & FLOOR.keys()):
    for name in sorted(imports.get(module, set()) & FLOOR.keys()):
        if FLOOR[name] >= FLOOR[module]:
            faults.append(f"Sources/{module}: an arrow goes only down: floor {FLOOR[module]} imports {name} of floor {FLOOR[name]}")
package = (ROOT / "Package.swift").read_text(encoding="utf-8")
architecture = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
drawn = re.sub(r"\([^)]*\)", "", architecture[architecture.index("    floor "):].split("\n\n", 1)[0])
check_floors("Package.swift", re.findall(r'// Floor (\d)|\bmodule\(\s*"([\w-]+)"|\.(?:target|executableTarget)\(\s*name: "([\w-]+)"', package))
check_floors("docs/ARCHITECTURE.md", re.findall(r"floor (\d)|\b(Pack\w+|packtool-kiosk|packtool|tuf-client)\b()", drawn))
for target, names in declared().items():
    if target.startswith("C"):
        # C includes the system's headers by their own names.
        continue
    for name in sorted(names - imports.get(target, set()) - PROGRAMS):
        faults.append(f"Package.swift: {target} declares {name}, which no file of it imports")
for module, names in ALLOWED.items():
    for name in sorted(names - imports.get(module, set()) - APPLE):
        faults.append(f"scripts/check-sources.py: {module} may import {name}, which it does not: take it off the list")

for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
