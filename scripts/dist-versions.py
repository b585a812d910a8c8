#!/usr/bin/env python3
"""The versions of Swift packages that `make dist` builds with: scripts/dist-versions.json, in SwiftPM's own form.

Without arguments it takes those of Package.resolved, to be looked at and committed. --pin has the next build take them, --check looks
whether the last one used others.
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PINS = ROOT / "scripts/dist-versions.json"
RESOLVED = ROOT / "Package.resolved"


def versions(path: pathlib.Path) -> dict[str, str]:
    return {pin["identity"]: json.dumps(pin["state"], sort_keys=True) for pin in json.loads(path.read_text("utf-8"))["pins"]}


if "--pin" in sys.argv[1:]:
    if not RESOLVED.exists() or versions(PINS) != versions(RESOLVED):
        RESOLVED.write_bytes(PINS.read_bytes())
elif "--check" in sys.argv[1:]:
    wanted, used = versions(PINS), versions(RESOLVED)
    different = sorted(name for name in wanted.keys() | used.keys() if wanted.get(name) != used.get(name))
    for name in different:
        print(f"{name}: {PINS.name} has {wanted.get(name, 'none')}, the build used {used.get(name, 'none')}", file=sys.stderr)
    if different:
        print("error: the build used other packages than the commit names; scripts/dist-versions.py takes them", file=sys.stderr)
        sys.exit(1)
else:
    document = json.loads(RESOLVED.read_text("utf-8"))
    # SwiftPM's digest of the manifest that it resolved; without it the versions hold for any.
    document.pop("originHash", None)
    PINS.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    print(f"{PINS.relative_to(ROOT)}: {len(document['pins'])} packages")
