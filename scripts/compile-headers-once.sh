# shellcheck shell=bash
# Sourced in the checkout before `swift build`: the headers of BoringSSL are compiled once (scripts/clang-for-boringssl), below `folder`.
COMPILER=$(dirname "$(readlink -f "$(command -v swift)")")/clang
# shellcheck disable=SC2154
COMPILED_HEADERS=$PWD/$folder/headers
CC=$PWD/scripts/clang-for-boringssl
export COMPILER COMPILED_HEADERS CC
