#!/usr/bin/env bash
# Everything that must hold before a change lands: lint, build, all tests, and the executable on its own. The build is not optimized;
# OPTIMIZED=1 tests what is released, which takes ten minutes more (decision 56).
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS

step() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - started)); }

step "build, lint"
if [ -z "${OPTIMIZED:-}" ]; then export UNOPTIMIZED=1; else unset UNOPTIMIZED; fi
. scripts/release-options.sh
# The first minute of the build and the link of the executable are one process each.
TESTS=1 scripts/beside.sh scripts/lint.sh scripts/build-release.sh
export BUILD=$release_folder/release TESTED_PACKTOOL=$PWD/$release_bin/packtool
step "executable, benchmarks, Apple files"
scripts/beside.sh scripts/check-types.sh scripts/build-release.sh
step "the executable alone"
scripts/test-release-binary.sh
step "tests"
AGAIN=1 scripts/run-tests.py | tee .build/tests.txt
result=$(tail -1 .build/tests.txt)
step "done"
# The tests' closing line once more: it is the run's last.
printf '%s\n' "$result"
