#!/usr/bin/env bash
# A debug build of everything with its tests; a target may import only what it declares. Takes swift build's options.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/require-swift.sh
exec swift build --build-tests --explicit-target-dependency-import-check error "$@"
