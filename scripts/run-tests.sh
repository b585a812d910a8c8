#!/usr/bin/env bash
# Runs the tests that are built; shows failures and the closing lines, and keeps the whole output in .build/test.log.
# VERBOSE=1 shows all of it. Arguments go to `swift test`.
#
# AGAIN=1 runs one or two tests that failed once more, by themselves: engines, servers and children keep their deadlines on
# a machine that pauses only as far as it lets them. What fails again fails the run; what does not is named as unsteady.
set -euo pipefail
cd "$(dirname "$0")/.."

# A crashing test must end the run, not wait in the debugger while it holds the pipe open.
export SWIFT_BACKTRACE=enable=no

show() {
    if [ -n "${VERBOSE:-}" ]; then cat; else
        grep --line-buffered -vE '^(◇|↳|\[[0-9]+/[0-9]+\])|✔ (Test|Suite) [^r].* passed|Executed 0 tests|^Test Suite|Build complete' || true
    fi
}

# The result is read from the closing line in the log. One test at a time: many start servers, children and compressors,
# and on two cores their own deadlines would decide.
run() {
    log=$1
    shift
    local started=$SECONDS status=0
    timeout "${TEST_TIMEOUT:-2400}" swift test --skip-build --disable-xctest --no-parallel \
        --explicit-target-dependency-import-check error "$@" 2>&1 | tee "$log" | show || status=$?
    closing=$(grep -E '(✔|✘) Test run with' "$log" | tail -1 || true)
    case "$status $closing" in
    0*✔* | *✘*) return ;;
    esac
    printf '\nthe tests did not come to a sound end after %s s (status %s, the whole output is in %s); the last lines:\n' \
        $((SECONDS - started)) "$status" "$log"
    tail -15 "$log" | cut -c 1-1000
    exit 1
}

# At the end, where an output that was cut still has it.
report() {
    printf '\nwhat failed (the whole output is in %s):\n' "$log"
    grep -E -A1 '✘ Test .* recorded an issue' "$log" | cut -c 1-1000 || true
}

run .build/test.log "$@"
[[ $closing == *✘* ]] || exit 0
report
mapfile -t failed < <(sed -nE '/Test run with/d; s/^✘ Test (.*) failed after .*/\1/p' "$log" |
    sed -E 's/ with [0-9]+ test cases?$//; s/^"(.*)"$/\1/; s/[^[:alnum:] _-]/./g')
[ -n "${AGAIN:-}" ] && [ "${#failed[@]}" -ge 1 ] && [ "${#failed[@]}" -le 2 ] || exit 1
printf '\nonce more, alone:\n'
run .build/test-again.log "${failed[@]/#/--filter=}"
[[ $closing != *✘* && $closing != *" 0 tests"* ]] || { report; exit 1; }
printf 'unsteady, failed at first and passed alone: %s\n' "${failed[@]}"
