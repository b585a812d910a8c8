#!/usr/bin/env bash
# Copies the released executable alone to another folder, with another home, and goes the whole way with it.
set -euo pipefail
cd "$(dirname "$0")/.."
built=$PWD/.build/bin/packtool

folder=$(mktemp -d "${TMPDIR:-/tmp}/packtool-alone.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/home"
cp "$built" "$folder/bin/packtool"
cd "$folder"

packtool() {
    env -i PATH=/usr/bin:/bin HOME="$folder/home" "$folder/bin/packtool" "$@" >>"$folder/log" 2>&1 || {
        code=$?
        cat "$folder/log" >&2
        echo "error: packtool $* ended with $code" >&2
        exit 1
    }
}

packtool --version
packtool init project
cd project
packtool build dist --out packages
packtool verify packages/*.zip
packtool publish packages/*.zip --channel beta
packtool client update --store "$folder/device" --channel beta
packtool client status --store "$folder/device"

# The device holds every file of the dist, byte for byte.
site=$(find "$folder/device/unzipFiles/project" -mindepth 1 -maxdepth 1 -type d)
(cd dist && find . -type f | sort | xargs sha256sum) >"$folder/dist.sums"
(cd "$site" && sha256sum --check --quiet "$folder/dist.sums")
echo "the executable works alone: $(stat -c %s "$built") bytes, $(wc -l <"$folder/dist.sums") files reached the device"
