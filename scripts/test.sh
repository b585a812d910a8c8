#!/usr/bin/env bash
# Everything that must hold before a change lands: lint, build, all tests, and the released executable on its own.
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS

step() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - started)); }

step "lint"
scripts/lint.sh
step "build"
scripts/build-debug.sh
step "Apple files"
scripts/check-apple-glue.sh
step "the released executable"
scripts/build-release.sh
scripts/test-release-binary.sh
step "tests"
# The commands that tests start are those that are handed out. A debug build's take four times as long.
AGAIN=1 TESTED_PACKTOOL=$PWD/.build/bin/packtool scripts/run-tests.py | tee .build/tests.txt
result=$(tail -1 .build/tests.txt)
step "done"
# The tests' closing line once more: it is the run's last.
printf '%s\n' "$result"
