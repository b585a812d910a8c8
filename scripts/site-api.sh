#!/usr/bin/env bash
# Builds the API reference of the app libraries with DocC, the tool of the Swift toolchain: site-api.sh OUT. SITE_BASE is the path below which
# the site is hosted, such as /packtool; its pages name their own files from there. PackWebKit is not there: it is built on Apple's platforms
# only, and docs/site/api.md links its sources.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/require-swift.sh

out=$1
modules=(PackHost PackProxy PackUpdater PackUpdaterOnline PackWeb PackWebOnline PackTrust PackKeys PackFormat)
# What DocC reads of a module is the same without optimization, which takes half the time, and make test has made it.
export UNOPTIMIZED=1
. scripts/release-options.sh
folder=$release_folder
work=.build/site-api
for module in "${modules[@]}"; do
    grep -q "api/documentation/${module,,}/" docs/site/api.md || { echo "error: docs/site/api.md does not link $module" >&2; exit 1; }
done
[ -e "$folder/release/Modules/PackHost.swiftmodule" ] || echo "site: building the app libraries (the first time takes some minutes)"
# One with each that it needs.
for module in PackHost PackProxy PackUpdaterOnline PackWebOnline PackKeys; do
    env "${compiler[@]}" swift build "${release_options[@]}" --target "$module" --quiet
done
toolchain=$(dirname "$(command -v swift)")
maps=()
# What NIO is made of is in C too: its maps are in its checkouts, or SwiftPM made them.
while read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(
    printf '%s\n' Sources/C*/module.modulemap "$folder"/release/C*.build/module.modulemap
    find "$folder/checkouts" -path '*/Sources/*/include/module.modulemap' -not -path '*/Benchmarks/*')
rm -rf "$work" "$out"
archives=()
for module in "${modules[@]}"; do
    mkdir -p "$work/$module"
    "$toolchain/swift" symbolgraph-extract -module-name "$module" -I "$folder/release/Modules" "${maps[@]}" \
        -target "$(uname -m)-unknown-linux-gnu" -minimum-access-level public -output-dir "$work/$module"
    archives+=("$work/$module.doccarchive")
    # What its conformances to the standard library's protocols bring is described there.
    rm -f "$work/$module/$module@"*.json
    "$toolchain/docc" convert --fallback-display-name "$module" --fallback-bundle-identifier "packtool.$module" \
        --additional-symbol-graph-dir "$work/$module" --output-path "$work/$module.doccarchive" --transform-for-static-hosting \
        --hosting-base-path "${SITE_BASE:-}/api" >"$work/$module.log" 2>&1 || { cat "$work/$module.log" >&2; exit 1; }
    # A comment that names what is not there. Types of other modules have no page that DocC could link: their names are code.
    if grep -A1 "^warning: .* doesn't exist at" "$work/$module.log" >&2; then exit 1; fi
done
"$toolchain/docc" merge "${archives[@]}" --synthesized-landing-page-name "App libraries" \
    --synthesized-landing-page-kind "API reference" --output-path "$out"
# Its pages ask for a theme of ours, which would else be a 404.
echo '{}' >"$out/theme-settings.json"
