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
step "tests"
AGAIN=1 scripts/run-tests.py | tee .build/tests.txt
result=$(tail -1 .build/tests.txt)
step "the released executable"
scripts/build-release.sh
scripts/test-release-binary.sh
step "done"
# The tests' closing line once more: it is the run's last.
printf '%s\n' "$result"
