#!/usr/bin/env bash
# The tests with their long sweeps: more crash points, more random input, longer fuzzing.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build-debug.sh --quiet
PACKTOOL_LONG=1 TEST_TIMEOUT=14400 scripts/run-tests.sh "$@"
