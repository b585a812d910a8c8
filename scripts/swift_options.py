"""What the type checks for other systems (check-apple.py, check-android.py) tell Swift's compiler alike."""
import pathlib

import availability


def common() -> list[str]:
    """As Package.swift builds every module."""
    return [
        "-swift-version", "6", "-parse-as-library", "-enable-upcoming-feature", "InternalImportsByDefault",
        "-enable-upcoming-feature", "MemberImportVisibility", "-enable-upcoming-feature", "ExistentialAny",
        "-plugin-path", f"{availability.toolchain()}/lib/swift/host/plugins",
    ]


def package_maps(build: pathlib.Path) -> list[pathlib.Path]:
    """The module maps of the Swift packages that a build has, and those that it made."""
    checkouts = build.parent / "checkouts"
    maps = [found for found in checkouts.rglob("module.modulemap") if found.parent.name == "include" or found.parents[1].name == "Sources"]
    maps += build.glob("C*.build/module.modulemap")
    return [found for found in maps if not {"Tests", "Examples"} & set(found.relative_to(build.parent).parts)]
