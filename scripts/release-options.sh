# shellcheck shell=bash
# Sourced in the checkout: how all that is released is built. Another option in one script would build everything once more for it.
# UNOPTIMIZED=1 is for what is only tried: the same program, compiled in half the time (decision 56).

# Tests may look into modules (decision 6).
export PACKTOOL_TESTABLE=1
release_folder=.build/optimized
# shellcheck disable=SC2034
release_bin=.build/bin
[ -z "${PACKTOOL_REPRODUCIBLE:-}" ] || release_folder=.build/reproducible
# shellcheck disable=SC2034
[ -z "${UNOPTIMIZED:-}" ] || { release_folder=.build/unoptimized; release_bin=.build/unoptimized/bin; }
# No debug information: it is stripped anyway, and a fifth of the time of the C++ that TLS and signatures are made of.
# C and C++ write the paths of their files into messages: the folder's own part is taken out. Swift writes none.
# Each function in a section of its own: the linker leaves out those that nobody calls, of BoringSSL most. It keeps each that is public
# unless Swift is told that all code that may call it is linked together (-internalize-at-link). Tests look into it as before.
# shellcheck disable=SC2034
release_options=(
    -c release -debug-info-format none --disable-index-store --disable-local-rpath --scratch-path "$release_folder" -Xcc "-ffile-prefix-map=$PWD/="
    -Xcc -ffunction-sections -Xcc -fdata-sections -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -Xfrontend
    -Xswiftc -internalize-at-link
)
# Which of the compiler's threads is first shows in a few functions, and so does chance in loops that Swift unrolls (decision 27). One
# thread takes longer.
if [ -n "${PACKTOOL_REPRODUCIBLE:-}" ]; then
    release_options+=(-Xswiftc -num-threads -Xswiftc 1 -Xswiftc -Xllvm -Xswiftc -sil-disable-pass=loop-unroll)
fi
# shellcheck disable=SC2034
compiler=()
# C++, which is BoringSSL, stays fast enough for the many signatures of tests. --version says what it is. LLVM does not look at its own
# work after each step, which a compiler that others have tested need not. A module's interface is written where the module is compiled:
# another process would check its types once more.
if [ -n "${UNOPTIMIZED:-}" ]; then
    release_options+=(
        -Xswiftc -Onone -Xcxx -O1 -Xswiftc -DUNOPTIMIZED -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify
        -Xswiftc -no-emit-module-separately-wmo
    )
    . scripts/compile-headers-once.sh "$release_folder"
fi
