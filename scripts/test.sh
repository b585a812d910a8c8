#!/usr/bin/env bash
# Everything that must hold before a change lands: lint, build, all tests, and the released executable on its own.
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS

step() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - started)); }

step "lint"
scripts/lint.sh
step "build"
# What is handed out, and the tests of it.
TESTS=1 scripts/build-release.sh
export BUILD=.build/optimized/release
step "benchmarks, Apple files"
scripts/check-types.sh
step "the released executable"
scripts/test-release-binary.sh
step "tests"
AGAIN=1 TESTED_PACKTOOL=$PWD/.build/bin/packtool scripts/run-tests.py | tee .build/tests.txt
result=$(tail -1 .build/tests.txt)
step "done"
# The tests' closing line once more: it is the run's last.
printf '%s\n' "$result"
