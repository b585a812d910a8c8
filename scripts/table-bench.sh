#!/usr/bin/env bash
# What bench-NAME.sh has in common: runs bench-NAME.py on packtool, shows its table, and writes it into docs/BENCHMARKS.md with
# REPORT=1. Ends as bench-NAME.py does, which fails where a bar is missed.
#     scripts/table-bench.sh NAME [ARGUMENT]      PACKTOOL says which packtool
set -euo pipefail
cd "$(dirname "$0")/.."
table=$(mktemp)
trap 'rm -f "$table"' EXIT
outcome=0
"scripts/bench-$1.py" "${PACKTOOL:-.build/bin/packtool}" "${@:2}" >"$table" || outcome=$?
cat "$table"
if [ "${REPORT:-0}" = 1 ]; then Benchmarks/report.py "$1" <"$table"; fi
exit "$outcome"
