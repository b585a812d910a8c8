#!/usr/bin/env bash
# Runs the tests that are built; shows failures, the slowest and the closing lines, and keeps the whole output in .build/test.log.
# VERBOSE=1 shows all of it. Arguments, such as --filter NAME, are those of swift-testing, and all tests that they name are run one
# at a time.
#
# Without arguments: first the first ring, in parallel: formats, trust, patches, archives, the builder, and the rules of the registry,
# the updater and the web side, all without servers of ours, engines or children. Then the second (servers, transfers, commands) and
# the third (browser engines) beside each other, each of them one test at a time, on deadlines of their own: most of their time is
# waiting. RING=1 runs the first ring only.
#
# AGAIN=1 runs one or two tests that failed once more, by themselves: engines, servers and children keep their deadlines on
# a machine that pauses only as far as it lets them. What fails again fails the run. What does not is written into
# Tests/unsteady.txt, to be mended; if it is there already, the run fails.
set -euo pipefail
cd "$(dirname "$0")/.."

# A crashing test must end the run, not wait in the debugger while it holds the pipe open.
export SWIFT_BACKTRACE=enable=no
# Colours stand between the marks and the words that are looked for below.
export NO_COLOR=1
log=.build/test.log
values='^(PackJSON|PackFormat|PackAuthorities|PackTrust|PackPatch|PackArchive|PackBuilder)Tests\.'
# Of the modules that also fetch, lock and wait, what does not.
suites=$(find Tests/PackRegistryTests/Releasing Tests/PackUpdaterTests/State Tests/PackWebTests/{Address,Cookies,Response,Rules} \
    -name '*Tests.swift' -printf '%f\n' | sed 's/\.swift$//' | sort | paste -sd '|')
first_ring="$values|\.($suites)/"
third_ring='^(PackKioskTests|BrowserTests)\.'

show() {
    if [ -n "${VERBOSE:-}" ]; then cat; else
        grep --line-buffered -vE '^(◇|↳|\[[0-9]+/[0-9]+\])|✔ (Test|Suite) [^r].* passed|Executed 0 tests|^Test Suite|Build complete' || true
    fi
}

# Runs tests into a log, and shows what `show` lets through. Not by `swift test`, of which one at a time runs in a checkout.
run() {
    local log=$1 status=0
    shift
    timeout "${TEST_TIMEOUT:-2400}" .build/debug/packtoolPackageTests.xctest --testing-library swift-testing "$@" 2>&1 |
        tee "$log" | show || status=$?
    printf 'status %s\n' "$status" >>"$log"
}

# The result is read from the closing line in the log.
expect_end() {
    local log=$1
    closing=$(grep -E '(✔|✘) Test run with' "$log" | tail -1 || true)
    case "$(tail -1 "$log") $closing" in
    'status 0 '*✔* | *✘*) return ;;
    esac
    printf '\nthe tests did not come to a sound end (the whole output is in %s); the last lines:\n' "$log"
    tail -15 "$log" | cut -c 1-1000
    exit 1
}

# At the end, where an output that was cut still has it.
report() {
    printf '\nwhat failed (the whole output is in %s):\n' "$1"
    grep -E -A1 '✘ Test .* recorded an issue' "$1" | cut -c 1-1000 || true
}

# Of tests that ran one at a time: beside others each seems to take as long as all.
slowest() {
    printf '\nthe slowest, in seconds:\n'
    sed -nE '/Test run with/d; s/^[✔✘] Test (.*) (passed|failed) after ([0-9.]+) seconds.*/\3 \1/p' "$1" |
        sort -rn | sed -n 1,20p | cut -c 1-140
}

if [ "$#" -gt 0 ]; then
    run "$log" --no-parallel "$@"
    expect_end "$log"
    slowest "$log"
elif [ "${RING:-}" = 1 ]; then
    run "$log" --parallel --filter "$first_ring"
    expect_end "$log"
else
    logs=(.build/test-first.log .build/test-second.log .build/test-third.log)
    run "${logs[0]}" --parallel --filter "$first_ring"
    run "${logs[1]}" --no-parallel --skip "$first_ring" --skip "$third_ring" &
    run "${logs[2]}" --no-parallel --filter "$third_ring"
    wait
    for each in "${logs[@]}"; do expect_end "$each"; done
    cat "${logs[@]}" >"$log"
    cat "${logs[@]:1}" >.build/test-others.log
    slowest .build/test-others.log
fi
grep -qE '✘ Test run with' "$log" || exit 0
report "$log"
mapfile -t failed < <(sed -nE '/Test run with/d; s/^✘ Test (.*) failed after .*/\1/p' "$log" |
    sed -E 's/ with [0-9]+ test cases?$//; s/^"(.*)"$/\1/; s/[^[:alnum:] _-]/./g')
[ -n "${AGAIN:-}" ] && [ "${#failed[@]}" -ge 1 ] && [ "${#failed[@]}" -le 2 ] || exit 1
printf '\nonce more, alone:\n'
run .build/test-again.log --no-parallel "${failed[@]/#/--filter=}"
expect_end .build/test-again.log
[[ $closing != *✘* && $closing != *" 0 tests"* ]] || { report .build/test-again.log; exit 1; }
ledger=Tests/unsteady.txt
status=0
for name in "${failed[@]}"; do
    if grep -qF "$name" "$ledger"; then
        printf 'unsteady again; mend it, and take it out of %s: %s\n' "$ledger" "$name"
        status=1
    else
        printf 'unsteady, failed at first and passed alone: %s\n' "$name"
        printf '%s %s\n' "$(date -u +%F)" "$name" >>"$ledger"
    fi
done
exit "$status"
