# shellcheck shell=bash
# Sourced in the checkout: serve_package FOLDER makes a registry in FOLDER/project that offers FOLDER/project/dist as shop 1.0.0 on the
# channel stable, with a page in it, and serves it. Sets `url` and `server`, the process to end.

serve_package() {
    local folder=$1 packtool=$PWD/.build/bin/packtool
    mkdir -p "$folder/project/dist"
    (
        cd "$folder/project"
        echo '<title>one</title>' >dist/index.html
        "$packtool" init --template config
        echo '{ "channel": "stable" }' >packtool.json
        "$packtool" build dist --package shop --package-version 1.0.0 --out packages
        "$packtool" publish packages/shop-1.0.0.zip --channel stable
    ) >"$folder/log" 2>&1 || { cat "$folder/log" >&2; return 1; }
    (cd "$folder/project" && exec "$packtool" serve --port 0) >"$folder/served" 2>/dev/null &
    # shellcheck disable=SC2034 # The caller ends it.
    server=$!
    url=
    for _ in $(seq 100); do
        url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$folder/served" | head -1) || true
        [ -z "$url" ] || return 0
        sleep 0.1
    done
    echo "error: packtool serve did not start" >&2
    return 1
}
