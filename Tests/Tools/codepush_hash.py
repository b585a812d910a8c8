#!/usr/bin/env python3
"""codepush_hash.py FOLDER: the hash by which CodePush's clients know the files below a folder, as their documents have it: one text
PATH:SHA256 for each file, sorted by UTF-16 code units, as a JSON array without white space."""
import hashlib
import json
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
entries = [
    f"{path.relative_to(root).as_posix()}:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    for path in root.rglob("*")
    if path.is_file() and path.name not in (".codepushrelease", ".DS_Store")
]
entries.sort(key=lambda entry: entry.encode("utf-16-be"))
text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
print(hashlib.sha256(text.encode("utf-8")).hexdigest())
