#!/usr/bin/env bash
# What a start of an installed site of 2,000 files costs because it looks at the files. Needs packtool, which PACKTOOL names,
# and for the bar the one of before, which BEFORE names. An argument gives the number of rounds; REPORT=1 writes the table into
# docs/BENCHMARKS.md. Fails where the bar is missed.
set -euo pipefail
exec "$(dirname "$0")/table-bench.sh" start "${1:-51}"
