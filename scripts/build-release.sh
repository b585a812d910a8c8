#!/usr/bin/env bash
# Builds packtool as one executable that carries the Swift libraries, and puts it, stripped, at .build/bin/packtool.
# Its own build folder: static and dynamic builds in one folder rebuild everything at each change of mind.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/require-swift.sh

folder=.build/static
mkdir -p "$folder" .build/bin
started=$SECONDS
[ -e "$folder/release/packtool" ] || echo "building packtool (the first time takes some minutes)"
# No debug information: it is stripped anyway, and a fifth of the time of the C++ that TLS and signatures are made of.
if ! swift build -c release -debug-info-format none --static-swift-stdlib --product packtool --scratch-path "$folder" 2>&1 |
    scripts/build-progress.py "$folder/build.log"; then
    grep -q 'error:' "$folder/build.log" || tail -40 "$folder/build.log" >&2
    echo "error: the release build failed; all of it is in $folder/build.log" >&2
    exit 1
fi
strip -o .build/bin/packtool.new "$folder/release/packtool"
mv .build/bin/packtool.new .build/bin/packtool
echo "built .build/bin/packtool: $(($(stat -c %s .build/bin/packtool) / 1000000)) MB in $((SECONDS - started)) s"
