#!/usr/bin/env bash
# Type-checks what the build leaves out. First the benchmarks. Then what is compiled on Apple's platforms only, against stubs of
# the frameworks: the shared lock, the web side, the host, the proxy and the view controller with their Apple branches, and the example host app. Nothing is run:
# what Apple does is not claimed here. Needs a debug build, or another one that BUILD names.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-.build/debug}
modules=$build/Modules
[ -d "$modules" ] || { echo "check-types: build first (scripts/build-debug.sh)" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Names that modules share are visible to a module of the same package only; SwiftPM calls it after the folder.
package=$(grep -A40 'C.PackWeb-' "$build.yaml" | grep -o '"-package-name","[^"]*"' | head -1 | cut -d'"' -f4)
common=(-swift-version 6 -parse-as-library -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny)
includes=(-I "$modules")
while read -r map; do includes+=(-I "$(dirname "$map")"); done < <(find Sources -name module.modulemap)
while read -r map; do includes+=(-Xcc "-fmodule-map-file=$map"); done \
    < <(find "${build%/*}/checkouts" "$build/" \( -path '*/include/module.modulemap' -path '*checkouts*' -o -path '*/C*.build/module.modulemap' \) -not -path '*/Tests/*' -not -path '*/Examples/*')

# The benchmarks are a package of their own that only `make bench` builds.
for bench in Benchmarks/Sources/*/; do
    [ ! -L "${bench%/}" ] || continue
    mapfile -t sources < <(find "$bench" -name '*.swift')
    [ "${#sources[@]}" -gt 0 ] || continue
    swiftc -typecheck -warnings-as-errors "${common[@]}" -package-name "${package:-packtool}" -module-name "$(basename "$bench" | tr - _)" \
        "${includes[@]}" "${sources[@]}"
done

includes=(-I "$folder" "${includes[@]}")
echo 'public let isStub = true' >"$folder/Darwin.swift"
swiftc -emit-module "${common[@]}" -module-name Darwin -emit-module-path "$folder/Darwin.swiftmodule" "$folder/Darwin.swift"
for stub in WebKit Network os; do
    swiftc -emit-module "${common[@]}" -module-name "$stub" -emit-module-path "$folder/$stub.swiftmodule" \
        "Tests/AppleStubs/$stub.swift"
done

# The lock that Apple's platforms get. The others import this module as it was built.
mapfile -t sources < <(find Sources/PackFormat -name '*.swift')
swiftc -typecheck "${common[@]}" -warnings-as-errors -package-name "${package:-packtool}" -module-name PackFormat \
    "${includes[@]}" "${sources[@]}"

# The modules themselves, with every Apple branch on, as the example will import them.
for module in PackWebOnline PackHost PackProxy PackWebKit; do
    mapfile -t sources < <(find "Sources/$module" -name '*.swift')
    [ "$module" != PackWebOnline ] || sources+=(Tests/AppleStubs/CoreFoundation.swift)
    swiftc -emit-module "${common[@]}" -warnings-as-errors -package-name "${package:-packtool}" -module-name "$module" \
        "${includes[@]}" -emit-module-path "$folder/$module.swiftmodule" "${sources[@]}"
done
swiftc -typecheck -warnings-as-errors "${common[@]}" -module-name HostApp "${includes[@]}" Examples/ios-host/*.swift
echo "check-types: the benchmarks, the Apple files of PackFormat, PackWebOnline, PackHost, PackProxy and PackWebKit and the example host app are well-typed"
