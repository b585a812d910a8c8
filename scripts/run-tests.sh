#!/usr/bin/env bash
# Runs the tests that are built; shows failures and the closing lines, and keeps the whole output in .build/test.log.
# VERBOSE=1 shows all of it. Arguments go to `swift test`.
set -euo pipefail
cd "$(dirname "$0")/.."

# A crashing test must end the run, not wait in the debugger while it holds the pipe open.
export SWIFT_BACKTRACE=enable=no
log=.build/test.log

show() {
    if [ -n "${VERBOSE:-}" ]; then cat; else
        grep --line-buffered -vE '^(◇|↳|\[[0-9]+/[0-9]+\])|✔ (Test|Suite) [^r].* passed|Executed 0 tests|^Test Suite|Build complete' || true
    fi
}

# One test at a time: many start servers, children and compressors, and on two cores their own deadlines would decide.
# How it ended is read from its closing line below.
timeout "${TEST_TIMEOUT:-2400}" swift test --skip-build --disable-xctest --no-parallel \
    --explicit-target-dependency-import-check error "$@" 2>&1 | tee "$log" | show || true
closing=$(grep -E '(✔|✘) Test run with' "$log" | tail -1 || true)
if [ -z "$closing" ]; then
    printf '\nthe tests did not come to an end after %s s (the whole output is in %s); the last lines:\n' "$SECONDS" "$log"
    tail -15 "$log" | cut -c 1-1000
    exit 1
fi
case "$closing" in
*✘*)
    # Once more at the end, where a log that was cut still has it.
    printf '\nwhat failed (the whole output is in %s):\n' "$log"
    grep -E -A1 '✘ Test .* recorded an issue' "$log" | cut -c 1-1000
    exit 1
    ;;
esac
