#!/usr/bin/env bash
# The tests with their long sweeps: more crash points, more random input, longer fuzzing, and the archives that other
# projects test themselves with, which it downloads; commands once more with each registry in PostgreSQL and a bucket; the
# web side's random starts, stops and deliveries under the thread sanitizer; and the C interface under it and valgrind.
#     scripts/soak.sh                 all of it
#     scripts/soak.sh --race          the thread sanitizer only
set -euo pipefail
cd "$(dirname "$0")/.."

race() {
    cp Package.resolved Tests/Race/Package.resolved
    # A build of its own: a sanitizer's objects do not go with the others.
    PACKTOOL_LONG=1 PACKTOOL_WITHOUT_KIOSK=1 TSAN_OPTIONS=halt_on_error=1 \
        swift test --package-path Tests/Race --scratch-path .build/race --sanitize thread --disable-xctest \
        --no-parallel --filter 'SchemeTaskDriverTests|TransferGateTests|PageSessionTests|CookieKeeperTests'
}

if [ "${1:-}" = --race ]; then
    race
    exit
fi
scripts/build-debug.sh
# ArchiveCorpusTests reads them.
scripts/fetch-archive-corpora.sh
PACKTOOL_LONG=1 TEST_TIMEOUT=14400 scripts/run-tests.py "$@"
STORAGE=1 scripts/run-tests.py
scripts/fuzz-decoders.py
race
scripts/soak-host.sh
