"""Plays repositories, honest and hostile, that the TUF reference implementation signs, against a client executable.

    tuf_scenarios.py CLIENT [NAME…]

CLIENT is driven as docs/TUF-CLIENT.md describes. One line a scenario: `ok NAME`, or `FAIL NAME: why`. Exit 1 if one
failed. Every repository is made in memory; what a client asked for is part of what is judged.
"""
from tuf_scene import *
import tuf_metadata_scenarios, tuf_target_scenarios  # Their scenarios register themselves, in this order.


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
            place = traceback.extract_tb(error.__traceback__)[1]
            return f"FAIL {name}: {os.path.basename(place.filename)}:{place.lineno}: {type(error).__name__} {error}"
        finally:
            if scene:
                scene.folder.cleanup()

    chosen = [(n, f) for n, f in SCENARIOS.items() if not wanted or any(w in n for w in wanted)]
    with ThreadPoolExecutor(4) as pool:
        lines = list(pool.map(play, chosen))
    print("\n".join(lines))
    sys.exit(any(line.startswith("FAIL") for line in lines))


main()
