#!/usr/bin/env bash
# Runs every scripts/bench-*.sh (or those named: scripts/bench.sh build update).
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$#" -gt 0 ]; then
    benches=()
    for name in "$@"; do benches+=("scripts/bench-$name.sh"); done
else
    mapfile -t benches < <(find scripts -name 'bench-*.sh' | sort)
fi
[ "${#benches[@]}" -gt 0 ] || { echo "error: there is no scripts/bench-*.sh" >&2; exit 1; }
for bench in "${benches[@]}"; do
    printf '\n== %s\n' "$bench"
    PACKTOOL="$PWD/.build/bin/packtool" "$bench"
done
