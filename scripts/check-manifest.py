#!/usr/bin/env python3
"""Package.swift as a Mac evaluates it, for iOS: what apps link comes from packages or from the SDK, and nothing keeps SwiftPM from taking
it. Only the manifest is evaluated; nothing is built or downloaded. And the documents name the manifest's iOS version."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The products that apps on iOS use. PackKeys starts programs, and is for publishers.
PRODUCTS = ("PackTrust", "PackUpdater", "PackWeb", "PackHost", "PackProxy")
# Where an app's developer reads from which iOS on.
DOCUMENTS = ("docs/INTEGRATION-IOS.md", "docs/WEB-COVERAGE.md", "README.md", "CONTRIBUTING.md")

faults: list[str] = []


def evaluated() -> dict:
    """The manifest with a Mac's conditions on."""
    text = (ROOT / "Package.swift").read_text(encoding="utf-8")
    for condition, value in (("os(macOS)", "true"), ("os(Linux)", "false")):
        if f"#if {condition}" not in text:
            sys.exit(f"Package.swift: no '#if {condition}': scripts/check-manifest.py no longer shows what a Mac evaluates")
        text = text.replace(f"#if {condition}", f"#if {value}")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PACKTOOL_")}
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "Package.swift").write_text(text, encoding="utf-8")
        run = subprocess.run(
            ["swift", "package", "--package-path", folder, "dump-package"], capture_output=True, text=True, env=environment)
    if run.returncode != 0:
        sys.exit(f"Package.swift is faulty on a Mac:\n{run.stderr}")
    return json.loads(run.stdout)


def holds(condition: dict | None) -> bool:
    return not condition or not condition.get("platformNames") or "ios" in condition["platformNames"]


def needed(target: dict) -> list[tuple[str, str | None]]:
    """The targets, and the products with their packages, that a target has on iOS."""
    result = []
    for dependency in target["dependencies"]:
        (kind, value), = dependency.items()
        if holds(value[-1]):
            result.append((value[0], value[1] if kind == "product" else None))
    return result


def check_target(target: dict) -> None:
    name = target["name"]
    if target["type"] == "system":
        faults.append(f"Package.swift: apps on iOS would link {name}, a library of the system that iOS does not have")
    for setting in target["settings"]:
        (kind, value), = setting["kind"].items()
        if not holds(setting.get("condition")):
            continue
        if kind == "unsafeFlags":
            faults.append(f"Package.swift: {name} has unsafe flags, and no app can depend on such a target")
        if kind == "linkedLibrary":
            faults.append(f"Package.swift: {name} links {value['_0']} on iOS")
    path = target.get("path") or f"Sources/{name}"
    if not (ROOT / path).is_dir():
        faults.append(f"Package.swift: {name} has no folder {path}")


manifest = evaluated()
targets = {target["name"]: target for target in manifest["targets"]}
packages = {package["identity"] for kind in manifest["dependencies"] for package in kind.get("sourceControl", [])}
products = {product["name"]: product["targets"] for product in manifest["products"]}
waiting = [name for product in PRODUCTS for name in products[product]]
reached: set[str] = set()
linked: set[tuple[str, str]] = set()
while waiting:
    name = waiting.pop()
    if name in reached:
        continue
    reached.add(name)
    check_target(targets[name])
    for other, package in needed(targets[name]):
        if package:
            linked.add((other, package))
        else:
            waiting.append(other)

if ("libzstd", "zstd") not in linked:
    faults.append("Package.swift: apps on iOS do not get libzstd of the package zstd")
for name, package in sorted(linked):
    if package not in packages:
        faults.append(f"Package.swift: {name} is of the package {package}, which it does not depend on")

floor = next(platform["version"] for platform in manifest["platforms"] if platform["platformName"] == "ios").removesuffix(".0")
for document in DOCUMENTS:
    if not re.search(rf"\biOS {re.escape(floor)}\b", (ROOT / document).read_text(encoding="utf-8")):
        faults.append(f"{document}: it does not name iOS {floor}, the oldest that Package.swift says")

for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
