#!/usr/bin/env bash
# The whole way, once, with the released executable: build, publish, update, go back, roll back. A short story with
# sizes and times. Everything happens below .cache/demo.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD
packtool=$project/.build/bin/packtool
work=$project/.cache/demo
started=$(date +%s%N)

pids=()
cleanup() { for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; }
trap cleanup EXIT

# --- telling -----------------------------------------------------------------------------------------------------

chapter() { printf '\n\033[1m%s\033[0m\n' "$1" | if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then cat; else sed 's/\x1b\[[0-9]*m//g'; fi; }
tell() { printf '   %s\n' "$1"; }
fail() { printf 'error: the demo did not go as it should: %s\n' "$1" >&2; exit 1; }
bytes() { # a number of bytes for people
    awk -v n="$1" 'BEGIN { if (n < 10000) printf "%d B", n; else if (n < 10e6) printf "%.1f KB", n / 1e3; else printf "%.1f MB", n / 1e6 }'
}
# field FILE EXPRESSION: a value of a JSON document, as Python reads it (`d` is the document).
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }
# step OUT ARGS...: runs packtool with --json into work/OUT.json and sets `took`, in milliseconds.
step() {
    local out=$work/$1.json begin
    shift
    begin=$(date +%s%N)
    "$packtool" "$@" --json >"$out" 2>"$out.log" || { cat "$out" "$out.log" >&2; fail "packtool $*"; }
    took="$(awk -v n=$(($(date +%s%N) - begin)) 'BEGIN { printf n < 1e9 ? "%.0f ms" : "%.1f s", n < 1e9 ? n / 1e6 : n / 1e9 }')"
}
