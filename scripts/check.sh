#!/usr/bin/env bash
# The fast loop: lint, an incremental debug build, benchmarks and Apple files, and the first ring of tests (those that match the
# argument, if one is given).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/require-swift.sh
# Much of the build is one process that decides what to build: form and borders are looked at meanwhile.
linted=$(mktemp)
trap 'rm -f "$linted"' EXIT
scripts/lint.sh >"$linted" 2>&1 &
lint=$!
faults=0
scripts/build-debug.sh || faults=1
wait "$lint" || faults=1
cat "$linted"
[ "$faults" -eq 0 ] || exit 1
scripts/check-types.sh
if [ -n "${1:-}" ]; then scripts/run-tests.py --filter "$1"; else RING=1 scripts/run-tests.py; fi
