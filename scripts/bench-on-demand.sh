#!/usr/bin/env bash
# The first page of a package that is not installed, over a slow link, beside the registry's unverified copy. Needs nothing
# but packtool: PACKTOOL says which. An argument gives the number of rounds; REPORT=1 writes the table into docs/BENCHMARKS.md.
# Fails where the bar is missed.
set -euo pipefail
exec "$(dirname "$0")/table-bench.sh" on-demand "${1:-5}"
