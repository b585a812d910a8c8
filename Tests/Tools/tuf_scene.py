"""Repositories that the TUF reference implementation signs, the server that hands them out, and the client that meets them; the register of the
scenarios, which `tuf_scenarios.py` plays."""
import copy, glob, json, os, subprocess, sys, tempfile, threading, traceback
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote

from securesystemslib.formats import encode_canonical
from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (
    DelegatedRole, Delegations, Metadata, MetaFile, Root, Snapshot, SuccinctRoles, TargetFile, Targets, Timestamp)
from tuf.api.serialization.json import JSONSerializer

NOW = datetime.now(timezone.utc).replace(microsecond=0)
TOP = ["root", "timestamp", "snapshot", "targets"]
ONLINE = ["targets", "snapshot", "timestamp"]


def new_key(kind="ecdsa", scheme="ecdsa-sha2-nistp256"):
    return {"ecdsa": CryptoSigner.generate_ecdsa, "ed25519": CryptoSigner.generate_ed25519,
            "rsa": lambda: CryptoSigner.generate_rsa(scheme=scheme)}[kind]()


def name_key(key):
    """The id of a key whose fields were edited."""
    key.keyid = sha256(encode_canonical(key.to_dict()).encode()).hexdigest()


class Repository:
    def __init__(self):
        later = NOW + timedelta(days=30)
        self.md = {"targets": Metadata(Targets(expires=later)), "snapshot": Metadata(Snapshot(expires=later)),
                   "timestamp": Metadata(Timestamp(expires=later)),
                   "root": Metadata(Root(expires=later, consistent_snapshot=True))}
        self.published = {}           # role -> list of bytes, version N at index N - 1
        self.signers = {}             # role -> {key id: signer}
        self.files = {}               # target path -> bytes
        self.asked, self.asked_files = [], []
        self.hashes = False
        for role in TOP:
            self.add_key(role)
        self.publish(*ONLINE, "root")

    root = property(lambda self: self.md["root"].signed)
    timestamp = property(lambda self: self.md["timestamp"].signed)
    snapshot = property(lambda self: self.md["snapshot"].signed)
    targets = property(lambda self: self.md["targets"].signed)

    def add_key(self, role, signer=None):
        signer = signer or new_key()
        if role in TOP:
            self.root.add_key(signer.public_key, role)
        self.signers.setdefault(role, {})[signer.public_key.keyid] = signer
        return signer

    def rotate(self, role):
        for keyid in list(self.root.roles[role].keyids):
            self.root.revoke_key(keyid, role)
        self.signers[role] = {}
        for _ in range(self.root.roles[role].threshold):
            self.add_key(role)

    def publish(self, *roles):
        for role in roles:
            md = self.md[role]
            if role in self.published:
                md.signed.version += 1
            md.signatures.clear()
            for signer in self.signers[role].values():
                md.sign(signer, append=True)
            data = md.to_bytes(JSONSerializer())
            self.published.setdefault(role, []).append(data)
            meta = MetaFile(md.signed.version, *(
                (len(data), {"sha256": sha256(data).hexdigest()}) if self.hashes else (None, None)))
            if role == "snapshot":
                self.timestamp.snapshot_meta = meta
            elif role not in ("root", "timestamp"):
                self.snapshot.meta[f"{role}.json"] = meta

    def again(self, role, version=1):
        """Starts over with a role's versions."""
        del self.published[role]
        self.md[role].signed.version = version

    def edit(self, role, change):
        """Changes the newest published text of a role after it was signed."""
        document = json.loads(self.published[role][-1])
        change(document)
        self.published[role][-1] = json.dumps(document).encode()

    def add(self, path, data, role="targets", hashes=("sha256",)):
        self.md[role].signed.targets[path] = TargetFile.from_data(path, data, list(hashes))
        self.files[path] = data

    def delegate(self, delegator, name, paths=("*",), terminating=False, threshold=1, expires=None, prefixes=None):
        targets = self.md[delegator].signed
        if targets.delegations is None:
            targets.delegations = Delegations({}, roles={})
        targets.delegations.roles[name] = DelegatedRole(
            name, [], threshold, terminating, None if prefixes else list(paths), prefixes)
        signer = new_key()
        targets.add_key(signer.public_key, name)
        self.signers.setdefault(name, {})[signer.public_key.keyid] = signer
        if name not in self.md:
            self.md[name] = Metadata(Targets(expires=expires or NOW + timedelta(days=30)))
        return signer

    def answer(self, path):
        """What the server sends for a path; None for 404."""
        kind, _, rest = path.partition("/")
        if kind == "metadata" and rest.endswith(".json"):
            name = rest[:-len(".json")]
            head, dot, tail = name.partition(".")
            role, version = (tail, int(head)) if dot and head.isdigit() else (name, None)
            self.asked.append((role, version))
            texts = self.published.get(unquote(role), [])
            if version is None:
                return texts[-1] if texts else None
            return texts[version - 1] if 1 <= version <= len(texts) else None
        if kind == "targets":
            path, prefix = unquote(rest), None
            if self.root.consistent_snapshot:
                folder, slash, last = path.rpartition("/")
                prefix, _, last = last.partition(".")
                path = folder + slash + last
            self.asked_files.append((path, prefix))
            return self.files.get(path)
        return None


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        scene, _, path = self.path.lstrip("/").partition("/")
        data = self.server.repositories[unquote(scene)].answer(path)
        if data is None:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        try:
            self.wfile.write(data)
        except OSError:                    # a client hangs up on what is too long
            pass

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 64
    repositories = {}


class Scene:
    """One repository and one client."""

    def __init__(self, program, server, name):
        self.program, self.name, self.repo = program, name, Repository()
        server.repositories[name] = self.repo
        self.url = f"http://127.0.0.1:{server.server_address[1]}/{quote(name, '')}"
        self.folder = tempfile.TemporaryDirectory()
        self.metadata, self.downloads = (os.path.join(self.folder.name, part) for part in ("metadata", "targets"))
        os.mkdir(self.metadata), os.mkdir(self.downloads)

    def run(self, *arguments, day=None):
        clock = ["faketime", str(NOW + timedelta(days=day))] if day else []
        result = subprocess.run([*clock, self.program, *arguments], capture_output=True, text=True, timeout=120)
        self.said = result.stderr
        return result.returncode

    def init(self, root=None):
        path = os.path.join(self.folder.name, "initial.json")
        with open(path, "wb") as file:
            file.write(root or self.repo.published["root"][0])
        return self.run("--metadata-dir", self.metadata, "init", path)

    def refresh(self, want=0, day=None):
        found = self.run("--metadata-url", f"{self.url}/metadata/", "--metadata-dir", self.metadata, "refresh", day=day)
        assert found == want, f"refresh exited with {found}, {want} expected: {self.said}"

    def download(self, *names, want=0, day=None):
        options = [part for name in names for part in ("--target-name", name)]
        found = self.run(
            "--metadata-url", f"{self.url}/metadata/", "--metadata-dir", self.metadata, *options, "--target-dir",
            self.downloads, "--target-base-url", f"{self.url}/targets/", "download", day=day)
        assert want is None or found == want, f"download exited with {found}, {want} expected: {self.said}"

    def file(self, role):
        try:
            with open(os.path.join(self.metadata, f"{role}.json"), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def trusts(self, **versions):
        found = {os.path.basename(path)[:-5]: json.load(open(path))["signed"]["version"]
                 for path in glob.glob(os.path.join(self.metadata, "*.json"))}
        assert found == versions, f"the client trusts {found}, {versions} expected"

    def asked(self, *expected, skip=0):
        assert self.repo.asked[skip:] == list(expected), f"asked for {self.repo.asked[skip:]}, {expected} expected"

    def has(self, *contents):
        """The downloads, oldest first."""
        paths = [p for p in glob.glob(f"{self.downloads}/**", recursive=True) if os.path.isfile(p)]
        found = [open(path, "rb").read() for path in sorted(paths, key=os.path.getmtime)]
        assert found == list(contents), f"downloaded {found}, {contents} expected"


SCENARIOS = {}
FIRST = [("root", 2), ("timestamp", None), ("snapshot", 1), ("targets", 1)]


def scenario(function):
    SCENARIOS[function.__name__.replace("_", " ")] = function
    return function


def cases(table):
    """One scenario for each entry of a table."""
    def register(function):
        for key, value in table.items():
            SCENARIOS[f"{function.__name__.replace('_', ' ')}: {key}"] = (
                lambda s, value=value, key=key: function(s, key, value))
        return function
    return register
