#!/usr/bin/env bash
# Signs a list of checksums with a minisign key without a password: dist-sign.sh KEY SHA256SUMS. The same key and list give the same bytes.
source "$(dirname "$0")/dist-environment.sh"

# Ed25519 over the list's digest.
minisign -S -q -s "$1" -m "$2" -t "packtool $version, commit $commit" -W </dev/null
