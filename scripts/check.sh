#!/usr/bin/env bash
# The fast loop: lint, an incremental debug build, benchmarks and Apple files, and the first ring of tests (those that match the
# argument, if one is given).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/require-swift.sh
# Much of the build is one process that decides what to build.
scripts/beside.sh scripts/lint.sh scripts/build-debug.sh
scripts/check-types.sh
if [ -n "${1:-}" ]; then scripts/run-tests.py --filter "$1"; else RING=1 scripts/run-tests.py; fi
