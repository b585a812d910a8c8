"""A channel as any device can read it: from the signed files of a registry's view, by docs/FORMAT.md and nothing of packtool's code."""
import hashlib
import json

from packtool_runs import Fault


class SignedChannel:
    """What a view shows at this moment. A fault if a file is missing, or is not the one that the file before it names."""

    def __init__(self, view, channel):
        self.view = view
        timestamp = self.document("timestamp.json")
        snapshot = self.named(timestamp, "snapshot.json")
        targets = self.named(snapshot, "channels.json")["targets"]
        # Format 2 counts where there is one.
        name = next((f"channels/{channel}{end}" for end in (".v2.json", ".json") if f"channels/{channel}{end}" in targets), None)
        if name is None:
            raise Fault(f"no {channel} in {sorted(targets)}")
        digest = targets[name]["hashes"]["sha256"]
        folder, file = name.rsplit("/", 1)
        text = self.read(f"targets/{folder}/{digest}.{file}")
        if hashlib.sha256(text).hexdigest() != digest:
            raise Fault(f"{name} is not what was signed")
        self.content = json.loads(text)

    def read(self, path):
        try:
            return (self.view / path).read_bytes()
        except FileNotFoundError:
            raise Fault(f"the view names {path} and does not have it") from None

    def document(self, name):
        return json.loads(self.read(f"metadata/{name}"))["signed"]

    def named(self, document, name):
        entry = document["meta"][name]
        found = self.document(f"{entry['version']}.{name}")
        if found["version"] != entry["version"]:
            raise Fault(f"{name} has version {found['version']}, not {entry['version']}")
        return found

    def releases(self, package):
        return self.content["packages"][package]["releases"]

    def require_whole(self, packages):
        """Each set has all of the packages, once, with one share."""
        sets = {}
        for package in packages:
            for release in self.releases(package):
                if "set" in release:
                    sets.setdefault(release["set"], []).append((package, share(release)))
        for name, members in sets.items():
            if sorted(package for package, _ in members) != sorted(packages) or len({part for _, part in members}) != 1:
                raise Fault(f"half of {name} is on the channel: {members}")
        return self

    def taken(self, package, device):
        """The version that a device takes: the newest whose share it is in. No release here has an audience."""
        for release in self.releases(package):
            if self.place(package, release, device) < share(release):
                return release.get("version")
        return None

    def place(self, package, release, device):
        """Where a device is among all of a release, 0 to 9,999."""
        owner = f"/{release['set']}" if "set" in release else f"{package}/{release['id']}"
        bucket = hashlib.sha256(f"{self.content['app']}/{owner}/{device}".encode()).digest()[:8]
        return int.from_bytes(bucket, "big") * 10_000 >> 64


def share(release):
    """In 1/10,000 of the devices."""
    return release.get("share", release.get("percent", 100) * 100)
