#!/usr/bin/env bash
# Builds the packtool of the demo: the released one where there is one already, else one without optimization, which takes a third of
# the time (decision 52).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -e .build/bin/packtool ]; then
    scripts/build-release.sh
    exit
fi
started=$SECONDS
[ -e .build/debug/packtool ] || echo "building packtool without optimization (the first time takes some minutes)"
# No index, which only editors and the tests' discovery read.
scripts/build-debug.sh --product packtool --disable-index-store -debug-info-format none
echo "built .build/debug/packtool in $((SECONDS - started)) s; make release builds the one with optimization"
