#!/usr/bin/env python3
"""Copies the files of the registry of the environment from its bucket into a folder, or back, by curl: for attackers who own the bucket.

    bucket.py get|put FOLDER
"""
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

address = urllib.parse.urlsplit(os.environ["PACKTOOL_STORAGE"])
options = dict(urllib.parse.parse_qsl(address.query))
prefix = address.path.strip("/")
bucket = f"{options['endpoint']}/{address.netloc}"
sign = ["--aws-sigv4", f"aws:amz:{options['region']}:s3", "--user",
        f"{os.environ['AWS_ACCESS_KEY_ID']}:{os.environ['AWS_SECRET_ACCESS_KEY']}"]
command, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def curl(*arguments, text=None):
    return subprocess.run(["curl", "-sS", "--fail-with-body", "--create-dirs", *sign, *arguments], input=text, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def config(lines):
    """All files by one process: a process for each takes longer than the rest."""
    if lines:
        curl("--fail-early", "-K", "-", text="\nnext\n".join(lines))


def each(name, way):
    quoted = urllib.parse.quote(name)
    options = "\n".join(f'{key} = "{value}"' for key, value in (("aws-sigv4", sign[1]), ("user", sign[3])))
    return f'url = "{bucket}/{prefix}/{quoted}"\n{way} = "{folder / name}"\ncreate-dirs\nfail\nsilent\nshow-error\n{options}'


if command == "get":
    listed = curl(f"{bucket}?list-type=2&prefix={urllib.parse.quote(prefix, safe='')}%2F")
    if "<IsTruncated>false</IsTruncated>" not in listed:
        sys.exit(f"there are too many files: {listed[:500]}")
    names = [key[len(prefix) + 1:] for key in re.findall(r"<Key>([^<]*)</Key>", listed)]
    config([each(name, "output") for name in names])
else:
    config([each(str(path.relative_to(folder)), "upload-file") for path in sorted(folder.rglob("*")) if path.is_file()])
