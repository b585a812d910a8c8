#!/usr/bin/env bash
# Runs the command in the arguments, a build, and lints beside it: for its first minute a build is one process that decides what to build.
# What lint says comes after the build's lines. Fails if one of them does; both end first.
set -euo pipefail
cd "$(dirname "$0")/.."
linted=$(mktemp)
trap 'rm -f "$linted"' EXIT
scripts/lint.sh >"$linted" 2>&1 &
lint=$!
faults=0
"$@" || faults=1
wait "$lint" || faults=1
cat "$linted"
exit "$faults"
