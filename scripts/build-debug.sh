#!/usr/bin/env bash
# A debug build of everything with its tests, or of what swift build's options in the arguments name; a target may import only what it
# declares.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/require-swift.sh
mkdir -p .build
. scripts/compile-headers-once.sh .build
what=("$@")
[ $# -gt 0 ] || what=(--build-tests)
# C++, which is BoringSSL, is made fast: without it signatures are a third of what the registry's tests cost. So are the busy modules, as
# in the build of make test (UNOPTIMIZED, Package.swift): without it the first ring took three times as long.
if ! env "${compiler[@]}" UNOPTIMIZED=1 swift build "${what[@]}" --disable-index-store --explicit-target-dependency-import-check error -Xcxx -O1 2>&1 |
    scripts/build-progress.py .build/build.log; then
    grep -q 'error:' .build/build.log || tail -40 .build/build.log >&2
    echo "error: the build failed; all of it is in .build/build.log" >&2
    exit 1
fi
