#!/usr/bin/env bash
# The first page of a package that is not installed, over a slow link, beside the registry's unverified copy. Needs nothing
# but packtool: PACKTOOL says which. An argument gives the number of rounds; REPORT=1 writes the table into docs/BENCHMARKS.md.
# Fails where the bar is missed.
set -euo pipefail
cd "$(dirname "$0")/.."
table=$(mktemp)
trap 'rm -f "$table"' EXIT
outcome=0
scripts/bench-on-demand.py "${PACKTOOL:-.build/bin/packtool}" "${1:-5}" >"$table" || outcome=$?
cat "$table"
if [ "${REPORT:-0}" = 1 ]; then Benchmarks/report.py on-demand <"$table"; fi
exit "$outcome"
