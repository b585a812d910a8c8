#!/usr/bin/env bash
# Times `make demo` in a fresh clone of this commit, below a temporary folder, and fails above LIMIT seconds: 480, the eight minutes of
# the README. The bar is for two cores, and for a machine that does nothing else: on one with more, taskset -c 0,1 scripts/time-demo.sh.
# Debian's packages are installed before, and no cache of an earlier build is used.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${LIMIT:-480}
scripts/install-system-packages.sh scripts/demo-packages.txt
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "time-demo: the clone has none of the changes that no commit has" >&2
scratch=$(mktemp -d "${TMPDIR:-/tmp}/packtool-demo.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
git clone -q --no-local . "$scratch/packtool"
unset PACKTOOL DEMO_FOLDER
export XDG_CACHE_HOME="$scratch/cache"

load=$(cut -d ' ' -f 1 /proc/loadavg)
started=$SECONDS
make -C "$scratch/packtool" demo || { echo "error: make demo failed after $((SECONDS - started)) s" >&2; exit 1; }
took=$((SECONDS - started))
echo "make demo at $(git -C "$scratch/packtool" rev-parse --short HEAD): $took s on $(nproc) cores, at most $limit s (load before: $load)"
[ "$took" -le "$limit" ] || { echo "error: make demo took $took s, and may take $limit s" >&2; exit 1; }
