#!/usr/bin/env bash
# Opening a site of 300 files in WebKitGTK: from the device, from file://, from nginx. Needs Xvfb and nginx; builds the kiosk
# for release unless KIOSK_BIN says where one is. An argument gives the number of rounds; REPORT=1 writes the table into
# docs/BENCHMARKS.md. Fails where a bar is missed.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${KIOSK_BIN:-}" ]; then
    scripts/build-release.sh packtool packtool-kiosk >&2
    KIOSK_BIN=.build/bin
fi
table=$(mktemp)
trap 'rm -f "$table"' EXIT
outcome=0
python3 scripts/bench-open.py "$KIOSK_BIN" "${1:-7}" >"$table" || outcome=$?
cat "$table"
if [ "${REPORT:-0}" = 1 ]; then Benchmarks/report.py open <"$table"; fi
exit "$outcome"
