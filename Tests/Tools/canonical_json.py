"""Reads one JSON document a line and writes the SHA-256 of its canonical form by securesystemslib, one a line."""

import hashlib
import json
import sys

from securesystemslib.formats import encode_canonical

sys.setrecursionlimit(10_000)
with open(sys.argv[1], "rb") as documents:
    for line in documents.read().split(b"\n"):
        if line:
            canonical = encode_canonical(json.loads(line.decode("utf-8")))
            print(hashlib.sha256(canonical.encode("utf-8")).hexdigest())
