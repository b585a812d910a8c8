#!/usr/bin/env bash
# What a start of an installed site of 2,000 files costs because it looks at the files. Needs nothing but packtool: PACKTOOL
# says which. An argument gives the number of rounds; REPORT=1 writes the table into docs/BENCHMARKS.md. Fails where the bar is
# missed.
set -euo pipefail
cd "$(dirname "$0")/.."
table=$(mktemp)
trap 'rm -f "$table"' EXIT
outcome=0
scripts/bench-start.py "${PACKTOOL:-.build/bin/packtool}" "${1:-51}" >"$table" || outcome=$?
cat "$table"
if [ "${REPORT:-0}" = 1 ]; then Benchmarks/report.py start <"$table"; fi
exit "$outcome"
