#!/usr/bin/env bash
# Builds libpackhost with the Swift libraries inside: .build/lib/libpackhost.so (a link), .build/lib/libpackhost.so.1 and
# .build/include/packhost.h. It exports the functions of the header and nothing else. Needs Swift 6.3. TEST=1 runs the tests of the C
# interface with it.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/require-swift.sh

# The same folder as the released executable's: most of what it is made of is there.
. scripts/release-options.sh
folder=$release_folder
mkdir -p "$folder" .build/lib .build/include
started=$SECONDS
if ! env "${compiler[@]}" PACKTOOL_LINK_STATIC=1 PACKTOOL_LINK_PACKHOST=1 swift build "${release_options[@]}" --product packhost 2>&1 |
    scripts/build-progress.py "$folder/packhost.log"; then
    grep -q 'error:' "$folder/packhost.log" || tail -40 "$folder/packhost.log" >&2
    echo "error: the build failed; all of it is in $folder/packhost.log" >&2
    exit 1
fi
library=.build/lib/libpackhost.so.1
strip -o "$library.new" "$folder/release/libpackhost.so"
mv "$library.new" "$library"
ln -sf libpackhost.so.1 .build/lib/libpackhost.so
install -m 644 Sources/CPackHost/packhost.h .build/include/packhost.h

# What the header declares, and what is exported: the same, under the one version.
declared=$(grep -oE '^(u?int32_t|const char \*) ?packhost_[a-z_]+\(' Sources/CPackHost/packhost.h |
    sed -E 's/.*(packhost_[a-z_]+)\(/\1@@PACKHOST_1/' | sort)
exported=$(nm -D --defined-only --extern-only "$library" | awk '$2 != "A" { print $3 }' | sort)
if [ "$exported" != "$declared" ]; then
    echo "error: $library does not export exactly the functions of packhost.h:" >&2
    diff <(printf '%s\n' "$declared") <(printf '%s\n' "$exported") >&2 || true
    exit 1
fi
# Larger by ten million bytes and more is what one import of Foundation makes it (decision 51).
size=$(stat -c %s "$library")
if [ "$size" -gt 20000000 ]; then
    echo "error: $library has $size bytes, and at most 20 million are wanted: see with a linker map what came in" >&2
    exit 1
fi
echo "built $library: $((size / 1000000)) MB in $((SECONDS - started)) s"

if [ -n "${TEST:-}" ]; then
    TESTED_PACKHOST=$PWD/.build/lib/libpackhost.so scripts/run-tests.py --filter PackHostCTests
fi
