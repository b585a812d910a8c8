#!/usr/bin/env bash
# Everything that must hold before a change lands: lint, build, all tests, and the executable on its own. The build is not optimized;
# OPTIMIZED=1 tests what is released, which takes ten minutes more (decision 56).
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS

step() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - started)); }

if [ -z "${OPTIMIZED:-}" ]; then export UNOPTIMIZED=1; else unset UNOPTIMIZED; fi
. scripts/release-options.sh
step "lint"
# What others wrote is fetched meanwhile; the build says what went wrong.
swift package --scratch-path "$release_folder" resolve >/dev/null 2>&1 &
scripts/lint.sh
wait || true
step "build"
TESTS=1 scripts/build-release.sh
export BUILD=$release_folder/release TESTED_PACKTOOL=$PWD/$release_bin/packtool
step "the executable alone"
scripts/test-release-binary.sh
step "tests; benchmarks and Apple files beside them"
scripts/check-types.sh >.build/types.txt 2>&1 &
types=$!
AGAIN=1 scripts/run-tests.py | tee .build/tests.txt
result=$(tail -1 .build/tests.txt)
if ! wait "$types"; then
    cat .build/types.txt >&2
    exit 1
fi
cat .build/types.txt
step "done"
# The tests' closing line once more: it is the run's last.
printf '%s\n' "$result"
