#!/usr/bin/env python3
"""Writes a software bill of materials in CycloneDX JSON 1.5: what is linked into an executable, or what an image holds.

dist-sbom.py executable --version V --commit C --build FOLDER EXECUTABLE...   Swift packages whose modules are in the link, the
    Swift libraries, and the system's libraries that are loaded, all with versions
dist-sbom.py image --version V --commit C --status FILE SBOM                  the same and every Debian package of the image

The same input gives the same bytes: the time is SOURCE_DATE_EPOCH, the serial number is made of the content.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

LICENSES = (
    ("Apache License", "Apache-2.0"), ("Permission is hereby granted, free of charge", "MIT"),
    ("Redistribution and use in source and binary forms", "BSD-3-Clause"),
)


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def license_of(folder: pathlib.Path) -> list:
    for path in sorted(folder.glob("LICENSE*")):
        text = path.read_text(encoding="utf-8", errors="replace")
        for words, name in LICENSES:
            if words in text:
                return [{"license": {"id": name}}]
    return []


def linked_modules(build: pathlib.Path, product: str) -> set[str]:
    """The modules whose object files are linked: SwiftPM writes the list beside the product."""
    [objects] = (build / "release").resolve().glob(f"{product}.product/Objects.LinkFileList")
    return {match.group(1) for match in re.finditer(r"/([^/\n]+)\.build/", objects.read_text(encoding="utf-8"))}


def swift_packages(build: pathlib.Path, modules: set[str]) -> list[dict]:
    state = json.loads((build / "workspace-state.json").read_text(encoding="utf-8"))
    found = []
    known = set()
    for dependency in state["object"]["dependencies"]:
        checkout = dependency["state"]["checkoutState"]
        reference = dependency["packageRef"]
        folder = build / "checkouts" / dependency["subpath"]
        here = {path.name for path in folder.glob("*") if path.is_dir()}
        here |= {path.name for path in folder.glob("Sources/**/") if path.is_dir()}
        # Targets whose folder has another name.
        here |= set(re.findall(r'target\(\s*name:\s*"(\w+)"', (folder / "Package.swift").read_text(encoding="utf-8")))
        linked = sorted(modules & here - {"include"})
        if not linked:
            continue
        known |= set(linked)
        location = reference["location"].removesuffix(".git")
        purl = "pkg:swift/" + location.removeprefix("https://") + "@" + checkout["version"]
        found.append({
            "type": "library", "bom-ref": purl, "name": reference["identity"], "version": checkout["version"], "purl": purl,
            "licenses": license_of(folder),
            "externalReferences": [{"type": "vcs", "url": location}],
            "properties": [
                {"name": "packtool:revision", "value": checkout["revision"]},
                {"name": "packtool:modules", "value": " ".join(linked)},
            ],
        })
    own = {path.name.replace("-", "_") for path in pathlib.Path("Sources").iterdir()}
    if unknown := modules - known - own:
        sys.exit(f"sbom: no package is known for the linked modules {', '.join(sorted(unknown))}")
    return found


def debian_library(path: str) -> dict:
    real = os.path.realpath(path)
    # Where /lib is a link to /usr/lib, dpkg knows a file by the path of its package.
    names = [real, real.removeprefix("/usr")]
    answer = subprocess.run(["dpkg", "-S", *names], capture_output=True, text=True).stdout
    if not answer:
        sys.exit(f"sbom: no Debian package has {path}")
    owner = answer.split(":")[0]
    version, source, arch = run(
        "dpkg-query", "-W", "-f", "${Version}\t${source:Package}\t${Architecture}", owner).split("\n")[0].split("\t")
    return debian_component(owner, version, source, arch, "library")


def debian_component(name: str, version: str, source: str, arch: str, kind: str) -> dict:
    escaped = version.replace("+", "%2B").replace(":", "%3A")
    purl = f"pkg:deb/debian/{name.replace('+', '%2B')}@{escaped}?arch={arch}&distro=debian-12"
    return {
        "type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl,
        "properties": [{"name": "packtool:source", "value": source}],
    }


def loaded_libraries(executable: str) -> list[dict]:
    paths = run("scripts/loaded-libraries.sh", executable).split()
    return list({item["purl"]: item for item in map(debian_library, paths)}.values())


def runtime() -> dict:
    version = re.search(r"Swift version (\S+)", run("swift", "--version")).group(1)
    purl = f"pkg:github/swiftlang/swift@swift-{version}-RELEASE"
    return {
        "type": "library", "bom-ref": purl, "name": "swift", "version": version, "purl": purl,
        "description": "Standard library, Concurrency, Foundation and Dispatch, linked statically",
        "licenses": [{"expression": "Apache-2.0 WITH Swift-exception"}],
    }


def document(arguments: argparse.Namespace, kind: str, name: str, components: list[dict]) -> dict:
    main = {
        "type": kind, "bom-ref": f"{name}@{arguments.version}", "name": name, "version": arguments.version,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "properties": [{"name": "packtool:commit", "value": arguments.commit}],
    }
    components = sorted(components, key=lambda item: item["bom-ref"])
    time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([main, components], sort_keys=True))
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{serial}", "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": main},
        "components": components,
        "dependencies": [{"ref": main["bom-ref"], "dependsOn": [item["bom-ref"] for item in components]}],
    }


def image_packages(status: str) -> list[dict]:
    packages = []
    for block in pathlib.Path(status).read_text(encoding="utf-8").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if re.match(r"[A-Z]\S*: ", line))
        if "ok installed" in fields.get("Status", "") and fields["Package"] != "packtool":
            source = fields.get("Source", fields["Package"]).split(" ")[0]
            packages.append(debian_component(fields["Package"], fields["Version"], source, fields["Architecture"], "library"))
    return packages


parser = argparse.ArgumentParser()
parser.add_argument("what", choices=["executable", "image"])
parser.add_argument("--version", required=True)
parser.add_argument("--commit", required=True)
parser.add_argument("--build", type=pathlib.Path)
parser.add_argument("--status")
parser.add_argument("input", nargs="+")
arguments = parser.parse_args()
if arguments.what == "executable":
    parts: dict[str, dict] = {}
    for executable in arguments.input:
        product = os.path.basename(executable)
        for part in [runtime(), *swift_packages(arguments.build, linked_modules(arguments.build, product)), *loaded_libraries(executable)]:
            parts.setdefault(part["bom-ref"], part)
    result = document(arguments, "application", os.path.basename(arguments.input[0]), list(parts.values()))
else:
    base = json.loads(pathlib.Path(arguments.input[0]).read_text(encoding="utf-8"))["components"]
    swift = [item for item in base if not item["purl"].startswith("pkg:deb/")]
    result = document(arguments, "container", "packtool", swift + image_packages(arguments.status))
json.dump(result, sys.stdout, indent=1, ensure_ascii=False)
print()
