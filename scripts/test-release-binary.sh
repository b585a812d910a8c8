#!/usr/bin/env bash
# Copies the executable (.build/bin/packtool, or what TESTED_PACKTOOL names) alone to another folder, with another home, and goes the
# whole way with it.
set -euo pipefail
cd "$(dirname "$0")/.."
built=${TESTED_PACKTOOL:-$PWD/.build/bin/packtool}

if git rev-parse --git-dir >/dev/null 2>&1 && ! "$built" --version | grep -qE '\(commit [0-9a-f]{12}(-modified)? of [0-9-]{10}, (release|unoptimized) build '; then
    echo "error: the executable does not say its commit and build: $("$built" --version)" >&2
    exit 1
fi
scripts/terminal-svg.py --check "$built"

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

# What the dynamic linker would have said. A file that is no library stands in the place of the real one.
without() {
    local words=$2
    mkdir -p "$folder/missing" && echo "no library" >"$folder/missing/$1"
    shift 2
    if LD_LIBRARY_PATH="$folder/missing" "$folder/bin/packtool" "$@" >"$folder/without" 2>&1 || ! grep -qF "$words" "$folder/without"; then
        echo "error: without a library, packtool $* says: $(cat "$folder/without")" >&2
        exit 1
    fi
    rm -r "$folder/missing"
}

# Loaded when they are first needed: with what they load in their turn they are a third of each command's start.
if readelf -d "$built" | grep -E 'NEEDED.*lib(curl|pq)\.' >&2; then
    echo "error: the executable names these libraries, so each start loads them (scripts/build-release.sh, Sources/CCurlHandles)" >&2
    exit 1
fi

packtool --version
packtool init project
cd project
packtool build dist --out packages
packtool verify packages/*.zip
packtool publish packages/*.zip --channel beta
packtool client update --store "$folder/device" --channel beta
packtool client status --store "$folder/device"

without libcurl.so.4 "apt-get install libcurl4" \
    client update --store "$folder/none" --registry http://127.0.0.1:9 --channel beta --root .packtool/root.json
without libpq.so.5 "apt-get install libpq5" status --registry postgres://127.0.0.1:9/none --files "$folder/none"

# The device holds every file of the dist, byte for byte.
site=$(find "$folder/device/unzipFiles/project" -mindepth 1 -maxdepth 1 -type d)
(cd dist && find . -type f | sort | xargs sha256sum) >"$folder/dist.sums"
(cd "$site" && sha256sum --check --quiet "$folder/dist.sums")
echo "the executable works alone: $(stat -c %s "$built") bytes, $(wc -l <"$folder/dist.sums") files reached the device"
