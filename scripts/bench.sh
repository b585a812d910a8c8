#!/usr/bin/env bash
# Runs every scripts/bench-*: the shell script, or the Python one where there is no shell script of its name (or those named:
# scripts/bench.sh build update).
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$#" -gt 0 ]; then
    names=("$@")
else
    mapfile -t names < <(find scripts -name 'bench-*.sh' -o -name 'bench-*.py' | sed -E 's|.*/bench-(.*)\..*|\1|' | sort -u)
fi
[ "${#names[@]}" -gt 0 ] || { echo "error: there is no scripts/bench-*" >&2; exit 1; }
failed=()
for name in "${names[@]}"; do
    bench=scripts/bench-$name.sh
    [ -e "$bench" ] || bench=scripts/bench-$name.py
    printf '\n== %s\n' "$bench"
    PACKTOOL="$PWD/.build/bin/packtool" "$bench" || failed+=("$name")
done
[ "${#failed[@]}" -eq 0 ] || { printf '\nerror: failed, or missed a bar: %s\n' "${failed[*]}" >&2; exit 1; }
