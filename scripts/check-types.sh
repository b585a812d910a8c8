#!/usr/bin/env bash
# Type-checks what the build leaves out: the benchmarks, what is compiled on Apple's platforms only and the example host app, against stubs
# of the frameworks (scripts/check-apple.py), and what is compiled for Android only (scripts/check-android.py). Nothing is run: what
# Apple's systems and Android do is not claimed here. Needs a build with the tests: that of make check or make test, or another that BUILD
# names.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-}
for other in .build/debug .build/unoptimized/release .build/optimized/release; do
    [ -n "$build" ] || [ ! -e "$other/Modules/TestSupport.swiftmodule" ] || build=$other
done
modules=$build/Modules
[ -e "$modules/TestSupport.swiftmodule" ] || { echo "check-types: build with the tests first (scripts/build-debug.sh)" >&2; exit 1; }

# Names that modules share are visible to a module of the same package only; SwiftPM calls it after the folder.
package=$(grep -A40 'C.PackWeb-' "$build.yaml" | grep -o '"-package-name","[^"]*"' | head -1 | cut -d'"' -f4)
common=(-swift-version 6 -parse-as-library -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny)
includes=(-I "$modules")
while read -r map; do includes+=(-I "$(dirname "$map")"); done < <(find Sources -name module.modulemap)
while read -r map; do includes+=(-Xcc "-fmodule-map-file=$map"); done \
    < <(find "${build%/*}/checkouts" "$build/" \( -path '*/include/module.modulemap' -path '*checkouts*' -o -path '*/C*.build/module.modulemap' \) -not -path '*/Tests/*' -not -path '*/Examples/*')

# The benchmarks are a package of their own that only `make bench` builds.
check_benchmarks() {
    local bench sources
    for bench in Benchmarks/Sources/*/; do
        [ ! -L "${bench%/}" ] || continue
        mapfile -t sources < <(find "$bench" -name '*.swift')
        [ "${#sources[@]}" -gt 0 ] || continue
        swiftc -typecheck -warnings-as-errors "${common[@]}" -package-name "${package:-packtool}" \
            -module-name "$(basename "$bench" | tr - _)" "${includes[@]}" "${sources[@]}" || return
    done
    echo "check-types: the benchmarks are well-typed too"
}

# Much of what Apple's files need is done one after the other.
check_benchmarks &
benchmarks=$!
scripts/check-android.py "$build" "${package:-packtool}" &
android=$!
faults=0
scripts/check-apple.py "$build" "${package:-packtool}" || faults=1
wait "$android" || faults=1
wait "$benchmarks" || faults=1
exit "$faults"
