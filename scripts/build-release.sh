#!/usr/bin/env bash
# Builds packtool as one executable that carries the Swift libraries, and puts it, stripped, at .build/bin/packtool. Arguments: other
# products, such as packtool-kiosk. TESTS=1 builds the tests in their place, against the same modules
# (BUILD=.build/optimized/release scripts/run-tests.py). The same commit gives the same bytes, wherever the folder is. UNOPTIMIZED=1 is for
# what is only tried: all of it is below .build/unoptimized then (decision 56).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/require-swift.sh

# What `packtool --version` says. A source without git names its commit by itself.
if [ -z "${PACKTOOL_COMMIT:-}" ] && git rev-parse --git-dir >/dev/null 2>&1; then
    PACKTOOL_COMMIT=$(git rev-parse --short=12 HEAD)
    [ -z "$(git status --porcelain --untracked-files=no)" ] || PACKTOOL_COMMIT+=-modified
    PACKTOOL_DATE=$(TZ=UTC git log -1 --date=format-local:%Y-%m-%d --format=%cd)
    export PACKTOOL_COMMIT PACKTOOL_DATE
fi

. scripts/release-options.sh
folder=$release_folder
mkdir -p "$folder" "$release_bin"
build() {
    env "${compiler[@]}" swift build "${release_options[@]}" "$@" 2>&1 | scripts/build-progress.py "$folder/build.log" && return
    grep -q 'error:' "$folder/build.log" || tail -40 "$folder/build.log" >&2
    echo "error: the release build failed; all of it is in $folder/build.log" >&2
    exit 1
}

if [ -n "${TESTS:-}" ]; then
    build --build-tests --explicit-target-dependency-import-check error
    exit
fi
for product in "${@:-packtool}"; do
    started=$SECONDS
    [ -e "$folder/release/$product" ] || echo "building $product (the first time takes some minutes)"
    # No names for other programs: nothing is loaded into this one, and a start reads a tenth less of a smaller file.
    PACKTOOL_LINK_STATIC=1 build -Xlinker --no-export-dynamic --product "$product"
    built=$release_bin/$product
    strip -o "$built.new" "$folder/release/$product"
    mv "$built.new" "$built"
    echo "built $built: $(($(stat -c %s "$built") / 1000000)) MB in $((SECONDS - started)) s"
done
