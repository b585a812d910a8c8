#!/usr/bin/env bash
# Runs the script in the first argument beside the command in the others, a build that leaves a core idle for a while. What the script says
# comes after the build's lines. Fails if one of them does; both end first.
set -euo pipefail
cd "$(dirname "$0")/.."
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$1" >"$said" 2>&1 &
script=$!
shift
faults=0
"$@" || faults=1
wait "$script" || faults=1
cat "$said"
exit "$faults"
