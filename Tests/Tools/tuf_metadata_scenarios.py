"""The whole way, keys and thresholds."""
from tuf_scene import *


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
