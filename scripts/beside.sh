#!/usr/bin/env bash
# Runs the script in the first argument beside the command in the others, a build that leaves a core idle for a while. What the script says
# comes after the build's lines, and its faults at once. Fails if one of them does; both end first.
set -euo pipefail
cd "$(dirname "$0")/.."
said=$(mktemp)
trap 'rm -f "$said"' EXIT
name=$1
# A build takes minutes: whoever watches it need not wait for its end.
{ "$name" >"$said" 2>&1 || { printf 'error: %s failed:\n' "$name" && cat "$said" && exit 1; } } &
script=$!
shift
faults=0
"$@" || faults=1
if wait "$script"; then cat "$said"; else faults=1 && echo "error: $name failed, as said above" >&2; fi
exit "$faults"
