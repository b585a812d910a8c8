#!/usr/bin/env bash
# clang, which reads the headers of BoringSSL only once; scripts/compile-headers-once.sh says how a build calls it. BoringSSL is here twice,
# in swift-crypto and swift-nio-ssl, as some 640 files. Three quarters of their time went into the headers that each of them read. They are
# compiled when the first file asks for them, with its options. What does not go with them is compiled without.
#
# COMPILER is clang's path, and COMPILED_HEADERS a folder.
set -uo pipefail

root=
for argument in "$@"; do
    case $argument in
    *BoringSSL/include) root=${argument%/include} ;;
    esac
done
# Only its C++ is compiled with them.
if [ -z "$root" ] || [[ " $* " != *".cc "* ]]; then exec "$COMPILER" "$@"; fi
headers=$COMPILED_HEADERS/${root##*/}

# With the options of the file that is to be compiled.
compile_headers() {
    local options=() header
    while [ $# -gt 0 ]; do
        case $1 in
        -c | -o | -MT | -MF) shift ;;
        -MD) ;;
        *) options+=("$1") ;;
        esac
        shift
    done
    for header in algorithm array atomic functional limits memory optional string string_view tuple utility vector; do
        echo "#include <$header>"
    done >"$headers.h"
    for header in "$root"/include/*.h "$root"/{crypto,crypto/bytestring,crypto/asn1,crypto/x509,crypto/evp,ssl}/{,mem_}internal.h; do
        case $header in
        # These are for assembly and C.
        *_asm_base.h | *_arm_arch.h | *_internal_[Sc].h) ;;
        *) [ ! -e "$header" ] || echo "#include \"$header\"" ;;
        esac
    done >>"$headers.h"
    "$COMPILER" "${options[@]}" -fpch-instantiate-templates -x c++-header "$headers.h" -o "$headers.new.$$" 2>"$headers.log" &&
        mv "$headers.new.$$" "$headers.pch"
}

# Another version of the package has other headers.
is_new() { [ ! -e "$headers.tried" ] || [ "$root/include" -nt "$headers.tried" ]; }
if is_new; then
    mkdir -p "$COMPILED_HEADERS"
    exec 9>"$headers.lock"
    flock 9
    if is_new; then
        rm -f "$headers.pch"
        compile_headers "$@"
        touch "$headers.tried"
    fi
    exec 9>&-
fi
if [ -e "$headers.pch" ] && "$COMPILER" -include-pch "$headers.pch" "$@" 2>/dev/null; then exit 0; fi
exec "$COMPILER" "$@"
