# shellcheck shell=bash
# Sourced in the checkout with the folder of a build: `compiler` is the environment in which `swift build` compiles the headers of
# BoringSSL once (scripts/clang-for-boringssl.sh).
# shellcheck disable=SC2034
compiler=(
    CC="$PWD/scripts/clang-for-boringssl.sh" COMPILER="$(dirname "$(readlink -f "$(command -v swift)")")/clang"
    COMPILED_HEADERS="$PWD/$1/headers"
)
