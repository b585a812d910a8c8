#!/usr/bin/env bash
# Builds the packtool of the demo: the released one where there is one already, else the one that make test tries (decision 56).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -e .build/bin/packtool ]; then
    scripts/build-release.sh
    exit
fi
UNOPTIMIZED=1 scripts/build-release.sh
echo "make test goes on with this build; make release builds the program with optimization"
