"""Plays repositories, honest and hostile, that the TUF reference implementation signs, against a client executable.

    tuf_scenarios.py CLIENT [NAME…]

CLIENT is driven as docs/TUF-CLIENT.md describes. One line a scenario: `ok NAME`, or `FAIL NAME: why`. Exit 1 if one
failed. Every repository is made in memory; what a client asked for is part of what is judged.
"""
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


# The whole way


@scenario
def a_first_refresh_asks_for_four_files_and_keeps_the_bytes(s):
    assert s.init() == 0
    s.repo.published["timestamp"][-1] += b" \n"
    s.refresh()
    s.asked(*FIRST)
    for role in TOP:
        assert s.file(role) == s.repo.published[role][-1], role


@scenario
def a_download_refreshes_first(s):
    s.init()
    s.download("nothing", want=1)
    s.asked(*FIRST)
    s.trusts(root=1, timestamp=1, snapshot=1, targets=1)


@scenario
def an_unchanged_repository_is_not_fetched_again(s):
    s.init(), s.refresh(), s.refresh()
    s.asked(("root", 2), ("timestamp", None), skip=4)


@scenario
def a_root_without_version_is_no_start(s):
    document = json.loads(s.repo.published["root"][0])
    del document["signed"]["version"]
    s.init(json.dumps(document).encode())
    s.refresh(want=1)
    s.asked()


@scenario
def a_root_that_its_keys_did_not_sign_is_no_start(s):
    document = json.loads(s.repo.published["root"][0])
    document["signatures"][0]["sig"] = json.loads(s.repo.published["timestamp"][0])["signatures"][0]["sig"]
    s.init(json.dumps(document).encode())
    s.refresh(want=1)
    s.asked()


@cases({"root": {"root": 1}, "timestamp": {"root": 2}, "snapshot": {"root": 2, "timestamp": 2},
        "targets": {"root": 2, "timestamp": 2, "snapshot": 2}})
def a_role_that_nobody_signed_is_refused_and_those_before_it_are_kept(s, role, trusted):
    s.repo.signers[role].popitem()
    s.repo.publish("root", *ONLINE)
    s.init(), s.refresh(want=1)
    s.trusts(**trusted)


@cases({"root": {"root": 1}, "snapshot": {"root": 2, "timestamp": 2},
        "targets": {"root": 2, "timestamp": 2, "snapshot": 2}})
def a_file_under_the_name_of_another_version_is_refused(s, role, trusted):
    s.repo.md[role].signed.version += 1
    s.repo.publish("root", *ONLINE)
    s.init(), s.refresh(want=1)
    s.trusts(**trusted)


@cases({"snapshot": {"root": 1, "timestamp": 2, "snapshot": 1, "targets": 1},
        "targets": {"root": 1, "timestamp": 2, "snapshot": 2, "targets": 1}})
def a_role_that_is_named_but_not_there_fails_once(s, role, trusted):
    s.init(), s.refresh()
    if role == "snapshot":
        s.repo.timestamp.snapshot_meta.version += 1
        s.repo.publish("timestamp")
    else:
        s.repo.snapshot.meta["targets.json"].version += 1
        s.repo.publish("snapshot", "timestamp")
    s.refresh(want=1)
    assert s.repo.asked[-1] == (role, 2) and s.repo.asked.count((role, 2)) == 1, s.repo.asked
    s.trusts(**trusted)


@scenario
def a_missing_timestamp_fails_once(s):
    s.init(), s.refresh()
    del s.repo.published["timestamp"]
    s.refresh(want=1)
    s.asked(("root", 2), ("timestamp", None), skip=4)


@scenario
def a_timestamp_that_changed_under_its_version_is_not_taken(s):
    s.init(), s.refresh()
    before = s.file("timestamp")
    s.repo.timestamp.snapshot_meta.version = 100
    s.repo.again("timestamp")
    s.repo.publish("timestamp")
    s.refresh()
    s.asked(("root", 2), ("timestamp", None), skip=4)
    assert s.file("timestamp") == before


@scenario
def lengths_and_hashes_of_metadata_are_checked(s):
    s.repo.hashes = True
    s.repo.publish(*ONLINE)
    s.init(), s.refresh()
    s.repo.publish("targets")
    s.repo.snapshot.meta["targets.json"].hashes["sha256"] = "46" * 32
    s.repo.publish("snapshot", "timestamp")
    s.refresh(want=1)
    s.trusts(root=1, timestamp=3, snapshot=3, targets=2)


@scenario
def targets_that_no_snapshot_names_are_not_fetched(s):
    s.init(), s.refresh()
    s.repo.publish("targets")
    s.refresh()
    s.asked(("root", 2), ("timestamp", None), skip=4)
    s.trusts(root=1, timestamp=1, snapshot=1, targets=1)


@scenario
def a_snapshot_that_no_timestamp_names_is_not_fetched(s):
    s.init()
    s.repo.publish("snapshot")
    s.repo.timestamp.snapshot_meta.version -= 1
    s.repo.publish("root", "timestamp")
    s.refresh()
    s.trusts(root=2, timestamp=2, snapshot=1, targets=1)


@scenario
def fields_that_the_specification_does_not_know_are_kept_and_signed(s):
    s.init(), s.refresh()
    signer = new_key()
    signer.public_key.unrecognized_fields["extra"] = {"a": 1, "b": [2, None, True]}
    name_key(signer.public_key)
    s.repo.root.unrecognized_fields["custom"] = "value"
    s.repo.add_key("root", signer)
    s.repo.root.roles["root"].unrecognized_fields["another"] = "value"
    s.repo.publish("root")
    s.refresh()
    s.trusts(root=2, timestamp=1, snapshot=1, targets=1)


@cases({"id made from the whole key": True, "id made before the field came": False})
def a_misleading_keyid_hash_algorithms_changes_nothing(s, _, renames):
    s.init()
    s.repo.rotate("snapshot")
    (old, signer), = s.repo.signers["snapshot"].items()
    s.repo.root.revoke_key(old, "snapshot")
    s.repo.signers["snapshot"] = {}
    signer.public_key.unrecognized_fields = {"keyid_hash_algorithms": "md5"}
    if renames:
        name_key(signer.public_key)
    s.repo.add_key("snapshot", signer)
    s.repo.publish("root", "snapshot", "timestamp")
    s.refresh()
    s.trusts(root=2, timestamp=2, snapshot=2, targets=1)


@scenario
def a_snapshot_in_the_place_of_a_timestamp_is_refused(s):
    s.init()
    s.repo.add_key("snapshot", next(iter(s.repo.signers["timestamp"].values())))
    s.repo.snapshot.meta = {"snapshot.json": MetaFile(1)}
    s.repo.publish("root", "snapshot")
    s.repo.published["timestamp"].append(s.repo.published["snapshot"].pop())
    s.refresh(want=1)
    s.trusts(root=2)


@scenario
def the_clock_of_faketime_is_the_clock(s):
    s.init()
    s.repo.root.expires = NOW + timedelta(days=7)
    s.repo.publish("root")
    s.refresh(), s.refresh(want=1, day=8)


# Keys and thresholds


@scenario
def signatures_below_the_threshold_are_refused(s):
    s.repo.root.roles["snapshot"].threshold = 3
    s.repo.add_key("snapshot"), s.repo.add_key("snapshot")
    s.repo.publish("root", *ONLINE)
    s.init(), s.refresh()
    s.repo.signers["snapshot"].popitem()
    s.repo.publish(*ONLINE)
    s.refresh(want=1)
    s.trusts(root=2, timestamp=3, snapshot=2, targets=2)


@scenario
def a_threshold_above_the_number_of_keys_is_never_met_but_the_root_stands(s):
    s.init()
    for _ in range(4):
        s.repo.add_key("snapshot")
    s.repo.root.roles["snapshot"].threshold = 6
    s.repo.publish("root", "snapshot", "timestamp")
    s.refresh(want=1)
    s.trusts(root=2, timestamp=2)


@scenario
def one_key_named_often_counts_once(s):
    s.init()
    signer = new_key()
    s.repo.root.add_key(signer.public_key, "snapshot")
    s.repo.root.roles["snapshot"].keyids += [signer.public_key.keyid] * 8
    s.repo.signers["snapshot"][signer.public_key.keyid] = signer
    s.repo.root.roles["snapshot"].threshold = 6
    s.repo.publish("root", "snapshot", "timestamp")
    mine = lambda document: [x for x in document["signatures"] if x["keyid"] == signer.public_key.keyid]
    s.repo.edit("snapshot", lambda document: document["signatures"].extend(mine(document) * 8))
    s.refresh(want=1)
    assert s.file("snapshot") is None


@scenario
def a_key_id_twice_among_the_signatures_is_refused(s):
    s.init()
    s.repo.edit("snapshot", lambda document: document["signatures"].append(document["signatures"][0]))
    s.refresh(want=1)
    s.trusts(root=1, timestamp=1)


@cases({"rsa": "rsassa-pss-sha256", "ecdsa": "ecdsa-sha2-nistp256", "ed25519": "ed25519"})
def every_kind_of_key_signs_and_its_false_signatures_do_not(s, kind, scheme):
    s.init()
    signer = s.repo.add_key("root", new_key(kind, scheme))
    s.repo.root.roles["root"].threshold += 1
    s.repo.publish("root")
    s.refresh()
    s.repo.publish("root")
    old = {x["keyid"]: x["sig"] for x in json.loads(s.repo.published["root"][1])["signatures"]}

    def forge(document):
        for entry in document["signatures"]:
            if entry["keyid"] == signer.public_key.keyid:
                entry["sig"] = old[entry["keyid"]]
    s.repo.edit("root", forge)
    s.refresh(want=1)
    s.trusts(root=2, timestamp=1, snapshot=1, targets=1)


@cases({"plausible": None, "empty": "", "no hexadecimal": "zz", "odd": "abc"})
def one_more_signature_that_is_invalid_does_no_harm(s, _, text):
    s.init()
    stale = json.loads(s.repo.published["timestamp"][0])["signatures"][0]
    s.repo.add_key("timestamp")
    s.repo.publish("root", "timestamp")

    def spoil(document):
        for entry in document["signatures"]:
            if entry["keyid"] == stale["keyid"]:
                entry["sig"] = stale["sig"] if text is None else text
    s.repo.edit("timestamp", spoil)
    s.refresh()


ROOTS = {
    "one key for another": [([1], 1, [1]), ([2], 1, [2, 1]), ([2], 1, [2])],
    "signatures that count for nothing": [([1], 1, [3, 1, 4]), ([2], 1, [3, 2, 1, 4]), ([2], 1, [3, 2, 4])],
    "3 of 5 in every combination": [(range(5), 3, [0, 2, 4]), (range(5), 3, [0, 4, 1]), (range(5), 3, [0, 1, 3])],
    "3 of 5, one key new": [(range(5), 3, [0, 2, 4]), ([0, 1, 3, 4, 5], 3, [0, 4, 1])],
    "3 of 5, one key new, signed by old and new": [
        (range(5), 3, [0, 2, 4]), ([0, 1, 3, 4, 5], 3, [0, 2, 4, 5]), ([0, 1, 3, 4, 5], 3, [0, 4, 5])],
    "3 of 5, all keys new": [
        (range(5), 3, [0, 2, 4]), (range(5, 10), 3, [0, 2, 4, 5, 6, 7]), (range(5, 10), 3, [5, 6, 7])],
    "threshold from 1 to 2 of 3": [([1, 2, 3], 1, [1]), ([1, 2, 3], 2, [1, 2])],
    "threshold from 2 to 1 of 3": [([1, 2, 3], 2, [1, 2]), ([1, 2, 3], 1, [1, 2]), ([1, 2, 3], 1, [1])],
    "a second key and threshold 2": [([1], 1, [1]), ([1, 2], 2, [1, 2])],
    "not by the old key": [([1], 1, [1]), ([2], 1, [2, 3, 4]), None],
    "not by the new key": [([1], 1, [1]), ([2], 1, [1, 3, 4]), None],
    "not by 3 of the new": [(range(5), 3, [0, 2, 4]), ([0, 1, 3, 4, 5], 3, [0, 2, 4]), None],
    "not by 3 of the old": [(range(5), 3, [0, 2, 4]), ([0, 1, 3, 4, 5], 3, [0, 4, 5]), None],
    "new threshold not met": [([1, 2, 3], 1, [1]), ([1, 2, 3], 2, [2]), None],
    "old threshold not met": [([1, 2, 3], 2, [1, 2]), ([1, 2, 3], 1, [1]), None],
}


def sign_with(repo, role, pool, step):
    keys, threshold, signatures = step
    repo.root.roles[role].keyids.clear()
    repo.root.roles[role].threshold = threshold
    for index in keys:
        repo.root.add_key(pool[index].public_key, role)
    repo.signers[role] = {pool[i].public_key.keyid: pool[i] for i in signatures}


@cases(ROOTS)
def a_chain_of_roots(s, _, steps):
    pool = [new_key() for _ in range(10)]
    s.repo.again("root")
    for step in filter(None, steps):
        sign_with(s.repo, "root", pool, step)
        s.repo.publish("root")
    s.repo.publish(*ONLINE)
    s.init()
    s.refresh(want=0 if steps[-1] else 1)
    assert s.file("root") == s.repo.published["root"][-1 if steps[-1] else -2]


ROLES = {
    "new key": ([2], 1, [2], 0), "signatures that count for nothing": ([1], 1, [3, 1, 4], 0),
    "not by its key": ([2], 1, [1, 3, 4], 1), "3 of 5, one of another": ([0, 1, 3, 4, 5], 3, [0, 2, 4], 1),
    "2 of 3 needed": ([0, 1, 3, 4, 5], 3, [0, 4], 1), "3 of 5": (range(5), 3, [0, 2, 4], 0),
    "3 of 5 in another order": (range(5), 3, [0, 4, 1], 0), "3 of 5, the last": (range(5), 3, [2, 3, 4], 0),
    "3 of 5, the middle": (range(5), 3, [1, 2, 3], 0), "3 of 5, the first": (range(5), 3, [0, 1, 3], 0),
}


@cases(ROLES)
def new_keys_for_online_roles(s, _, case):
    pool = [new_key() for _ in range(10)]
    s.init()
    for role in ["timestamp", "snapshot", "targets"]:
        sign_with(s.repo, role, pool, case[:3])
        s.repo.publish("root", *ONLINE)
        s.refresh(want=case[3])
        if case[3] == 0:
            assert s.file(role) == s.repo.published[role][-1], role


# Going back


@scenario
def a_timestamp_that_goes_back_is_refused(s):
    s.init()
    s.repo.publish("timestamp")
    s.refresh()
    s.repo.again("timestamp")
    s.repo.publish("timestamp")
    s.refresh(want=1)
    s.trusts(root=1, timestamp=2, snapshot=1, targets=1)
    assert s.repo.asked[-1] == ("timestamp", None)


@cases({"by version": False, "by hash too": True})
def a_timestamp_that_names_an_older_snapshot_is_refused(s, _, hashes):
    s.repo.hashes = hashes
    s.init()
    s.repo.publish("snapshot", "timestamp")
    s.refresh()
    s.repo.again("snapshot")
    s.repo.publish("snapshot", "timestamp")
    s.refresh(want=1)
    s.trusts(root=1, timestamp=2, snapshot=2, targets=1)
    assert s.repo.asked[-1] == ("timestamp", None)


@cases({"by version": False, "by hash too": True})
def a_snapshot_that_names_older_targets_is_refused(s, _, hashes):
    s.repo.hashes = hashes
    s.init()
    s.repo.publish(*ONLINE)
    s.refresh()
    s.repo.again("targets")
    s.repo.publish(*ONLINE)
    s.refresh(want=1)
    s.trusts(root=1, timestamp=3, snapshot=2, targets=2)


@scenario
def a_delegated_role_that_goes_back_or_vanishes_is_refused(s):
    s.repo.delegate("targets", "A")
    s.repo.publish("A", *ONLINE)
    s.repo.publish("A", "snapshot", "timestamp")
    s.init(), s.refresh()
    meta = s.repo.snapshot.meta.pop("A.json")
    s.repo.publish("snapshot", "timestamp")
    s.refresh(want=1)
    s.repo.snapshot.meta["A.json"] = MetaFile(meta.version - 1)
    s.repo.publish("snapshot", "timestamp")
    s.refresh(want=1)
    s.repo.snapshot.meta["A.json"] = MetaFile(meta.version)
    s.repo.publish("snapshot", "timestamp")
    s.refresh()


@cases({"targets": ["snapshot"], "snapshot": ["snapshot", "timestamp"], "timestamp": ["timestamp"]})
def a_fast_forward_is_recovered_from_by_new_online_keys(s, role, rotated):
    s.init()
    for _ in range(99):
        s.repo.publish(role)
    s.repo.publish(*ONLINE[ONLINE.index(role) + 1:])
    s.refresh()
    for name in rotated:
        s.repo.rotate(name)
    s.repo.again(role)
    s.repo.publish("root", *ONLINE)
    s.refresh()
    assert json.loads(s.file(role))["signed"]["version"] == 1


@scenario
def a_delegated_role_that_no_snapshot_names_is_not_even_asked_for(s):
    s.repo.delegate("targets", "A", ["dir/*"])
    s.repo.add("dir/x", b"x", "A")
    s.repo.publish("A", "targets")
    del s.repo.snapshot.meta["A.json"]
    s.repo.publish("snapshot", "timestamp")
    s.init(), s.refresh()
    asked = len(s.repo.asked)
    s.download("dir/x", want=1)
    s.has()
    s.asked(("root", 2), ("timestamp", None), skip=asked)
    s.trusts(root=1, timestamp=2, snapshot=2, targets=2)


@scenario
def new_snapshot_keys_may_drop_a_delegated_role(s):
    s.repo.delegate("targets", "A")
    s.repo.publish("A", *ONLINE)
    s.init(), s.refresh()
    s.repo.rotate("snapshot")
    s.repo.again("targets")
    del s.repo.snapshot.meta["A.json"]
    s.repo.publish("root", *ONLINE)
    s.refresh()
    s.trusts(root=2, timestamp=3, snapshot=3, targets=1)


# Expiry


@scenario
def an_expired_root_is_taken_and_then_nothing_else(s):
    s.init(), s.refresh()
    s.repo.publish("root")
    s.refresh()
    s.repo.root.expires = NOW - timedelta(days=1)
    s.repo.publish("root")
    s.repo.publish(*ONLINE)
    s.refresh(want=1)
    s.trusts(root=3, timestamp=1, snapshot=1, targets=1)


@cases({"timestamp": (1, 1, 1), "snapshot": (2, 1, 1), "targets": (2, 2, 1)})
def an_expired_role_is_not_taken(s, role, versions):
    s.init(), s.refresh()
    s.repo.md[role].signed.expires = NOW - timedelta(days=5)
    s.repo.publish(*ONLINE)
    s.refresh(want=1)
    s.trusts(root=1, timestamp=versions[0], snapshot=versions[1], targets=versions[2])


@cases({"root": "root", "timestamp": "timestamp", "snapshot": "snapshot", "targets": "targets"})
def what_expired_on_the_device_gives_way_to_what_is_newer(s, _, role):
    s.init()
    s.repo.md[role].signed.expires = NOW + timedelta(days=7)
    s.repo.publish("root", *ONLINE)
    s.refresh()
    s.repo.md[role].signed.expires = NOW + timedelta(days=21)
    s.repo.publish("root", *ONLINE)
    s.refresh(day=18)
    s.trusts(root=3, timestamp=3, snapshot=3, targets=3)


@scenario
def an_expired_delegated_role_is_not_taken(s):
    s.init()
    s.repo.delegate("targets", "A", ["dir/*"], expires=NOW - timedelta(days=1))
    s.repo.add("dir/x", b"x", "A")
    s.repo.publish("A", *ONLINE)
    s.refresh()
    s.download("dir/x", want=1)
    s.has()
    s.trusts(root=1, timestamp=2, snapshot=2, targets=2)


@scenario
def a_delegated_role_that_expired_on_the_device_is_not_used(s):
    s.init()
    s.repo.delegate("targets", "A", ["dir/*"], expires=NOW + timedelta(days=7))
    s.repo.add("dir/1", b"first", "A"), s.repo.add("dir/2", b"second", "A")
    s.repo.publish("A", *ONLINE)
    s.download("dir/1")
    s.download("dir/2", want=1, day=18)
    s.has(b"first")
    s.repo.md["A"].signed.expires = NOW + timedelta(days=21)
    s.repo.publish("A", "snapshot", "timestamp")
    s.download("dir/2", day=18)
    s.has(b"first", b"second")


# Target files


@cases({"at the top": "target_file.txt", "in a folder": "path/to/a/target file \u00e9.txt"})
def a_target_is_downloaded(s, _, path):
    s.init()
    s.repo.add(path, b"content")
    s.repo.publish(*ONLINE)
    s.refresh()
    s.has()
    s.download(path)
    s.has(b"content")


@scenario
def a_target_that_is_there_is_not_fetched_again(s):
    s.init()
    s.repo.add("a", b"A")
    s.repo.publish(*ONLINE)
    s.download("a"), s.download("a")
    s.has(b"A")
    assert len(s.repo.asked_files) == 1, s.repo.asked_files


@scenario
def a_swapped_target_is_not_kept(s):
    s.init()
    s.repo.add("a", b"A"), s.repo.add("b", b"B")
    s.repo.publish(*ONLINE)
    s.download("a")
    s.repo.files.update({"a": b"evil", "b": b"evil"})
    s.download("a", want=None)
    s.has(b"A")
    s.download("b", want=1)
    s.has(b"A")


@scenario
def a_target_that_changes_keeps_its_name_and_false_ones_never_land(s):
    s.init()
    s.repo.add("a", b"0")
    s.repo.publish(*ONLINE)
    s.download("a")
    have = [b"0"]
    for round in range(1, 12):
        s.repo.add("a", b"round %d" % round), s.repo.add(f"new-{round}", b"new %d" % round)
        s.repo.publish(*ONLINE)
        if round % 5 == 1:
            s.download("a"), s.download(f"new-{round}")
            have = have[1:] if len(have) == 1 else [x for x in have if not x.startswith(b"round")]
            have += [b"round %d" % round, b"new %d" % round]
            s.has(*have)
            s.repo.files["a"] = b"malicious"
            s.repo.publish(*ONLINE)
            s.download("a", want=None)
            s.has(*have)


@cases({"sha256": 1, "sha512": 1, "sha256 sha512": 1})
def hash_algorithms_are_checked_and_any_names_the_file(s, names, _):
    s.init()
    s.repo.add("a", b"A", hashes=names.split())
    s.repo.publish(*ONLINE)
    s.download("a")
    s.has(b"A")
    (_, prefix), = s.repo.asked_files
    assert prefix in s.repo.targets.targets["a"].hashes.values()


@scenario
def a_hash_of_an_unknown_algorithm_alone_proves_nothing(s):
    s.init()
    s.repo.add("a", b"A", hashes=["sha512"])
    hashes = s.repo.targets.targets["a"].hashes
    hashes["unknown-hash"] = hashes.pop("sha512")
    s.repo.publish(*ONLINE)
    s.download("a", want=1)
    s.has()


@scenario
def several_targets_are_fetched_in_order_until_one_fails(s):
    s.init()
    for name in "abcd":
        s.repo.add(name, name.encode())
    s.repo.publish(*ONLINE)
    s.repo.files["c"] = b"evil"
    s.download("b", "a", "c", "d", want=1)
    s.has(b"b", b"a")


@scenario
def without_consistent_snapshots_names_are_plain(s):
    s.repo.root.consistent_snapshot = False
    s.repo.publish("root")
    s.repo.delegate("targets", "A", ["dir/*"])
    s.repo.add("dir/x", b"x", "A")
    s.repo.publish("A", *ONLINE)
    s.init()
    s.download("dir/x")
    s.has(b"x")
    s.asked(("root", 2), ("root", 3), ("timestamp", None), ("snapshot", None), ("targets", None), ("A", None))
    assert s.repo.asked_files == [("dir/x", None)]


# Delegations: (delegator, name, paths, terminating), then the order in which roles are visited

GRAPHS = {
    "one": ([("targets", "A")], "A"), "two": ([("targets", "A"), ("targets", "B")], "AB"),
    "two levels": ([("targets", "A"), ("targets", "B"), ("B", "C")], "ABC"),
    "depth first": ([("targets", "A"), ("targets", "B"), ("A", "C"), ("A", "D")], "ACDB"),
    "three levels": ([("targets", "A"), ("targets", "B"), ("A", "C"), ("C", "D")], "ACDB"),
    "a terminating role ends it": ([("targets", "A"), ("targets", "B"), ("A", "C", "*", True), ("A", "D")], "AC"),
    "but for its own delegations": ([("targets", "A"), ("targets", "B"), ("A", "C", "*", True), ("C", "D")], "ACD"),
    "a path that does not match": ([("targets", "A", "*.py"), ("targets", "B"), ("A", "C")], "B"),
    "nor does one further down": ([("targets", "A"), ("targets", "B"), ("A", "C", "*.py"), ("C", "D")], "AB"),
    "a circle": ([("targets", "A"), ("targets", "B"), ("B", "C"), ("C", "D"), ("D", "B")], "ABCD"),
    "a role that two delegate to": ([("targets", "A"), ("targets", "B"), ("B", "C"), ("A", "C")], "ACB"),
    "but only one for this path": ([("targets", "A"), ("targets", "B"), ("B", "C"), ("A", "C", "*.py")], "ABC"),
}


@cases(GRAPHS)
def delegations_are_walked_in_order(s, _, case):
    roles = {}
    for delegator, name, *rest in case[0]:
        s.repo.delegate(delegator, name, [rest[0] if rest else "*"], len(rest) > 1)
        roles |= {name: 1, delegator: 1}
    s.repo.publish(*roles, "snapshot", "timestamp")
    s.init()
    s.download("missingpath", want=1)
    s.asked(*((name, 1) for name in case[1]), skip=4)


TREE = {"targetfile": "", "README.md": "A", "releases/x/x_v1": "BC", "releases/y/y_v1.zip": "BD",
        "releases/z/z_v1.zip": "B!"}


@cases(TREE)
def a_target_is_found_where_the_whole_chain_may_speak_for_it(s, path, visits):
    for delegator, name, *paths in [("targets", "A", "*.doc", "*.md"), ("targets", "B", "releases/*/*"),
                                    ("B", "C", "releases/x/*"), ("B", "D", "releases/y/*.zip")]:
        s.repo.delegate(delegator, name, paths)
    for owner, name in [("targets", "targetfile"), ("A", "README.md"), ("C", "releases/x/x_v1"),
                        ("D", "releases/y/y_v1.zip"), ("D", "releases/z/z_v1.zip")]:
        s.repo.add(name, f"{name} of {owner}".encode(), owner)
    s.repo.publish("A", "B", "C", "D", *ONLINE)
    s.init()
    s.download(path, want=1 if visits.endswith("!") else 0)
    s.has(*([] if visits.endswith("!") else [s.repo.files[path]]))
    s.asked(*((name, 1) for name in visits.rstrip("!")), skip=4)


@cases({name: 1 for name in ["?", "#", "/delegatedrole", "../delegatedrole", "..", "a b", "%2e", "\u00e9"]})
def a_role_with_an_unusual_name_is_one_part_of_a_path(s, name, _):
    s.repo.delegate("targets", name)
    s.repo.publish(name, *ONLINE)
    s.init()
    s.download("nothing", want=1)
    assert (quote(name, ""), 1) in s.repo.asked, s.repo.asked
    assert len(glob.glob(s.metadata + "/*.json") + glob.glob(s.metadata + "/.*.json")) == 5
    assert sorted(os.listdir(s.folder.name)) == ["initial.json", "metadata", "targets"]


@scenario
def a_role_is_verified_again_by_every_delegation_that_leads_to_it(s):
    s.repo.delegate("targets", "A", ["a/*"]), s.repo.delegate("targets", "B", ["b/*"])
    s.repo.delegate("A", "C", ["a/*"])
    s.repo.delegate("B", "C", ["b/*"])
    s.repo.signers["C"].popitem()          # B's key does not sign
    s.repo.add("a/x", b"ax", "C"), s.repo.add("b/x", b"bx", "C")
    s.repo.publish("A", "B", "C", *ONLINE)
    s.init()
    s.download("a/x", "b/x", want=1)
    s.has(b"ax")
    s.download("b/x", want=1)
    s.has(b"ax")


@scenario
def a_role_that_lost_its_key_is_not_used_from_the_store(s):
    s.repo.delegate("targets", "A", ["a/*"])
    s.repo.add("a/1", b"1", "A"), s.repo.add("a/2", b"2", "A")
    s.repo.publish("A", *ONLINE)
    s.init(), s.download("a/1")
    del s.repo.targets.delegations.roles["A"], s.repo.signers["A"]
    s.repo.delegate("targets", "A", ["a/*"])
    s.repo.publish(*ONLINE)
    s.download("a/2", want=1)
    s.has(b"1")


@scenario
def path_hash_prefixes_choose_the_role(s):
    digest = sha256(b"dir/x").hexdigest()
    other = "0" if digest[0] != "0" else "1"
    s.repo.delegate("targets", "A", prefixes=[other]), s.repo.delegate("targets", "B", prefixes=[digest[:2]])
    s.repo.add("dir/x", b"evil", "A"), s.repo.add("dir/x", b"x", "B")
    s.repo.publish("A", "B", *ONLINE)
    s.init()
    s.download("dir/x")
    s.has(b"x")
    s.asked(("B", 1), skip=4)


@cases({"of 2": 1, "of 4": 2, "of 256": 8, "of 1024": 10})
def a_hash_bin_of_succinct_roles_is_found(s, _, bits):
    signer, roles = new_key(), SuccinctRoles([], 1, bits, "bin")
    s.repo.targets.delegations = Delegations({}, None, roles)
    s.repo.targets.add_key(signer.public_key)
    names = [roles.get_role_for_target(path) for path in ("foo", "bar")]
    for name in names:
        s.repo.md.setdefault(name, Metadata(Targets(expires=NOW + timedelta(days=30))))
        s.repo.signers[name] = {signer.public_key.keyid: signer}
    s.repo.add("foo", b"foo", names[0])
    s.repo.publish(*dict.fromkeys(names), *ONLINE)
    s.init()
    s.download("foo")
    s.has(b"foo")
    s.asked((names[0], 1), skip=4)
    s.download("bar", want=1)


# What a repository may also do


@cases({"2.0.0": 1, "0.9.0": 1, "1.99.0": 0, "1.0": 0})
def only_specification_1_is_spoken(s, version, want):
    s.init()
    s.repo.timestamp.spec_version = version if want == 0 else s.repo.timestamp.spec_version
    s.repo.publish("timestamp")
    if want:                               # the reference refuses to write it: sign by hand
        document = json.loads(s.repo.published["timestamp"][-1])
        document["signed"]["spec_version"] = version
        signer, = s.repo.signers["timestamp"].values()
        document["signatures"][0]["sig"] = signer.sign(encode_canonical(document["signed"]).encode()).signature
        s.repo.published["timestamp"][-1] = json.dumps(document).encode()
    s.refresh(want=want)


@scenario
def a_key_id_that_is_not_the_hash_of_its_key_is_refused(s):
    s.init()
    signer = new_key()
    signer.public_key.keyid = "ab" * 32
    s.repo.add_key("root", signer)
    s.repo.publish("root")
    s.refresh(want=1)
    s.trusts(root=1)


@cases({"root": 512_001, "timestamp": 16_385, "snapshot": 2_000_001, "targets": 5_000_001})
def a_file_over_the_limit_of_its_role_is_not_read(s, role, size):
    s.init()
    s.repo.publish("root", *ONLINE)
    s.repo.published[role][-1] += b" " * (size - len(s.repo.published[role][-1]))
    s.refresh(want=1)


@scenario
def three_hundred_roots_are_followed_in_two_refreshes(s):
    for _ in range(299):
        s.repo.publish("root")
    s.init()
    s.run("--metadata-url", f"{s.url}/metadata/", "--metadata-dir", s.metadata, "refresh")
    s.refresh()
    assert json.loads(s.file("root"))["signed"]["version"] == 300


@scenario
def too_many_delegations_end_the_search(s):
    for index in range(34):
        s.repo.delegate("targets", f"r{index}")
    s.repo.add("x", b"x", "r33")
    s.repo.publish(*(f"r{index}" for index in range(34)), *ONLINE)
    s.init()
    s.download("x", want=1)
    s.has()


@cases({role: 1 for role in ["timestamp", "snapshot", "targets"]})
def a_damaged_file_on_the_device_is_fetched_again(s, role, _):
    s.init(), s.refresh()
    for content in [b"", b"{", s.file(role)[:-10], b"\0" * 100]:
        with open(os.path.join(s.metadata, f"{role}.json"), "wb") as file:
            file.write(content)
        s.refresh()
        assert s.file(role) == s.repo.published[role][-1]


@cases({"duplicate key": lambda t: t.replace(b'{"signatures"', b'{"signatures": [], "signatures"', 1),
        "invalid UTF-8": lambda t: t.replace(b"timestamp", b"timest\xff\xfep", 1),
        "version 1.0": lambda t: t.replace(b'"version": 2', b'"version": 2.0').replace(b'"version":2', b'"version":2.0'),
        "a byte order mark": lambda t: b"\xef\xbb\xbf" + t, "cut off": lambda t: t[:-1], "nothing": lambda t: b"",
        "deep": lambda t: b"[" * 10_000 + b"]" * 10_000})
def what_is_no_proper_document_is_refused(s, _, change):
    s.init(), s.refresh()
    s.repo.publish("timestamp")
    text = json.dumps(json.loads(s.repo.published["timestamp"][-1])).encode()
    s.repo.published["timestamp"][-1] = change(text)
    assert s.repo.published["timestamp"][-1] != text
    s.refresh(want=1)
    s.trusts(root=1, timestamp=1, snapshot=1, targets=1)


def main():
    program, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def play(entry):
        name, function = entry
        scene = None
        try:
            scene = Scene(program, server, name)
            function(scene)
            return f"ok {name}"
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[1].lineno
            return f"FAIL {name}: line {place}: {type(error).__name__} {error}"
        finally:
            if scene:
                scene.folder.cleanup()

    chosen = [(n, f) for n, f in SCENARIOS.items() if not wanted or any(w in n for w in wanted)]
    with ThreadPoolExecutor(4) as pool:
        lines = list(pool.map(play, chosen))
    print("\n".join(lines))
    sys.exit(any(line.startswith("FAIL") for line in lines))


main()
