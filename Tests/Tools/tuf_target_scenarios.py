"""Going back, expiry, target files and delegations."""
from tuf_scene import *


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
