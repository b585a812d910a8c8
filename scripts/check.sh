#!/usr/bin/env bash
# The fast loop: lint, an incremental debug build, and the tests (those that match the argument, else all).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/lint.sh
scripts/build-debug.sh --quiet
scripts/run-tests.sh ${1:+--filter "$1"}
