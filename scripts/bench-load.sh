#!/usr/bin/env bash
# What other clients notice of a server under attack, and the server's memory. Needs nothing but packtool: PACKTOOL says which.
# An argument gives the seconds of each load; REPORT=1 writes the table into docs/BENCHMARKS.md. Fails where a bar is missed.
set -euo pipefail
exec "$(dirname "$0")/table-bench.sh" load "${1:-10}"
