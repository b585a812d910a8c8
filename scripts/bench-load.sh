#!/usr/bin/env bash
# What other clients notice of a server under attack, and the server's memory. Needs nothing but packtool: PACKTOOL says which.
# An argument gives the seconds of each load; REPORT=1 writes the table into docs/BENCHMARKS.md. Fails where a bar is missed.
set -euo pipefail
cd "$(dirname "$0")/.."
table=$(mktemp)
trap 'rm -f "$table"' EXIT
outcome=0
scripts/bench-load.py "${PACKTOOL:-.build/bin/packtool}" "${1:-10}" >"$table" || outcome=$?
cat "$table"
if [ "${REPORT:-0}" = 1 ]; then Benchmarks/report.py load <"$table"; fi
exit "$outcome"
