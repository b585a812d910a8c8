"""The TUF reference implementation as a repository (make, update) and as a client (download).

make DIR SCHEME                        a repository with delegations, in DIR/metadata and DIR/targets
update DIR SCHEME                      new keys for every role, a new version of each, another target
download URL ROOT DIR TARGET           a client that trusts ROOT and prints the target
"""

import datetime
import os
import sys

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (
    DelegatedRole, Delegations, Metadata, MetaFile, Root, Snapshot, TargetFile, Targets, Timestamp,
)
from tuf.ngclient import Updater

EXPIRES = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + datetime.timedelta(days=10)
GENERATE = {
    "ecdsa-sha2-nistp256": CryptoSigner.generate_ecdsa,
    "ed25519": CryptoSigner.generate_ed25519,
    "rsassa-pss-sha256": CryptoSigner.generate_rsa,
}
ROLES = ["root", "timestamp", "snapshot", "targets"]


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def publish(folder, name, metadata, signers):
    metadata.signatures.clear()
    for signer in signers:
        metadata.sign(signer, append=True)
    data = metadata.to_bytes()
    write(f"{folder}/metadata/{name}.json", data)
    return MetaFile.from_data(metadata.signed.version, data, ["sha256", "sha512"])


def add(folder, targets, path, content):
    file = TargetFile.from_data(path, content, ["sha256", "sha512"])
    targets.targets[path] = file
    for name in file.get_prefixed_paths():
        write(f"{folder}/targets/{name}", content)


def make(folder, scheme, version=1, old=None):
    keys = {role: GENERATE[scheme]() for role in [*ROLES, "package.app"]}
    root = Root(version=version, expires=EXPIRES, consistent_snapshot=True)
    for role in ROLES:
        root.add_key(keys[role].public_key, role)
    targets = Targets(version=version, expires=EXPIRES)
    add(folder, targets, "top.txt", f"top {version}".encode())
    delegated = DelegatedRole(
        "package.app", [keys["package.app"].public_key.keyid], 1, True, paths=["manifests/app/*"])
    key = keys["package.app"].public_key
    targets.delegations = Delegations({key.keyid: key}, {"package.app": delegated})
    package = Targets(version=version, expires=EXPIRES)
    add(folder, package, "manifests/app/1.0.0.json", f"manifest {version}".encode())
    snapshot = Snapshot(version=version, expires=EXPIRES)
    snapshot.meta["package.app.json"] = publish(
        folder, f"{version}.package.app", Metadata(package), [keys["package.app"]])
    snapshot.meta["targets.json"] = publish(folder, f"{version}.targets", Metadata(targets), [keys["targets"]])
    timestamp = Timestamp(version=version, expires=EXPIRES)
    timestamp.snapshot_meta = publish(folder, f"{version}.snapshot", Metadata(snapshot), [keys["snapshot"]])
    publish(folder, f"{version}.root", Metadata(root), [keys["root"]] + ([old] if old else []))
    publish(folder, "timestamp", Metadata(timestamp), [keys["timestamp"]])
    with open(f"{folder}/root-key.pem", "wb") as file:
        file.write(keys["root"].private_bytes)


def update(folder, scheme):
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    with open(f"{folder}/root-key.pem", "rb") as file:
        old = CryptoSigner(load_pem_private_key(file.read(), None))
    make(folder, scheme, version=2, old=old)


def download(url, root, folder, target):
    with open(root, "rb") as file:
        bootstrap = file.read()
    os.makedirs(folder, exist_ok=True)
    updater = Updater(
        folder, f"{url}/metadata/", target_dir=folder, target_base_url=f"{url}/targets/", bootstrap=bootstrap)
    updater.refresh()
    info = updater.get_targetinfo(target)
    if info is None:
        sys.exit(f"{target} is not listed")
    with open(updater.download_target(info), "rb") as file:
        sys.stdout.buffer.write(file.read())


{"make": make, "update": update, "download": download}[sys.argv[1]](*sys.argv[2:])
