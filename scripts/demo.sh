#!/usr/bin/env bash
# The whole way, once, with what scripts/build-demo.sh has built, or PACKTOOL: build, publish, update, go back by itself, roll back. A
# short story with sizes and times. Everything happens below .cache/demo, or the folder in DEMO_FOLDER.
set -euo pipefail
cd "$(dirname "$0")/.."
optimized=$PWD/.build/bin/packtool
packtool=${PACKTOOL:-$optimized}
[ -e "$packtool" ] || packtool=$PWD/.build/unoptimized/bin/packtool
demo=${DEMO_FOLDER:-$PWD/.cache/demo}
began=$(date +%s%N)

# Whoever has a registry of their own set up keeps it out of this.
unset PACKTOOL_REGISTRY PACKTOOL_TOKEN PACKTOOL_KEY PACKTOOL_OWNER_KEY PACKTOOL_ROOT_KEY PACKTOOL_PASSPHRASE
if [ -e "$demo" ] && [ ! -e "$demo/.packtool-demo" ]; then
    echo "error: $demo is there and was not made by the demo: give DEMO_FOLDER another folder, or remove it" >&2
    exit 1
fi
rm -rf "$demo"
mkdir -p "$demo"
touch "$demo/.packtool-demo"
# A build that finds everything compressed already would say nothing about building.
export XDG_CACHE_HOME="$demo/cache"
servers=()
finish() { for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done; }
trap finish EXIT

# --- telling ---------------------------------------------------------------------------------------------------------

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
chapter() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
tell() { printf '   %s\n' "$*"; }
fail() {
    printf 'error: the demo did not go as it should: %s\n' "$1" >&2
    exit 1
}
bytes() { # a number of bytes for people
    awk -v n="$1" 'BEGIN { if (n < 10000) printf "%d B", n; else if (n < 1e6) printf "%.0f kB", n / 1e3; else printf "%.1f MB", n / 1e6 }'
}
since() { # the time since a moment in nanoseconds
    awk -v n=$(($(date +%s%N) - $1)) 'BEGIN { if (n < 1e9) printf "%.0f ms", n / 1e6; else printf "%.1f s", n / 1e9 }'
}
# field FILE EXPRESSION: a value of a JSON document `d`, in Python.
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }
# run NAME ARGUMENTS...: runs packtool; its JSON goes to NAME.json, and `took` says how long it ran.
run() {
    local name=$1 start
    shift
    start=$(date +%s%N)
    if ! "$packtool" "$@" --json >"$demo/$name.json" 2>"$demo/$name.log"; then
        cat "$demo/$name.json" "$demo/$name.log" >&2
        fail "packtool $*"
    fi
    took=$(since "$start")
}
# serving NAME ARGUMENTS...: runs a packtool server in the background and sets `url` to where it listens.
serving() {
    local name=$1
    shift
    "$packtool" "$@" --port 0 >"$demo/$name.log" 2>&1 &
    servers+=($!)
    for _ in $(seq 100); do
        url=$(grep -o 'http://127.0.0.1:[0-9]*' "$demo/$name.log" | head -1 || true)
        if [ -n "$url" ]; then return; fi
        sleep 0.1
    done
    cat "$demo/$name.log" >&2
    fail "packtool $* does not listen"
}

# --- the project -----------------------------------------------------------------------------------------------------

chapter "A project, its registry and keys"
project=$demo/project
run init init "$project" --template config --app demo
scripts/demo-sites.sh "$project/sites" | sed 's/^/   /'
cd "$project"
mapfile -t apps < <(cd sites/v1 && ls)
# The app that v3 breaks is the one that the story follows.
first=$(cd sites/v3 && grep -rl 'ready is not a function' . | head -1 | cut -d / -f 2)
declare -A version
for v in v1 v2 v3; do version[$v]=$(field "sites/$v/$first/package.json" 'd["version"]'); done
device=(--store "$demo/device" --channel beta)

build() { # v1
    local dists=()
    for app in "${apps[@]}"; do dists+=("sites/$1/$app/dist"); done
    run "build-$1" build "${dists[@]}" --shared auto --out "packages/$1"
    tell "built ${apps[*]} ${version[$1]} in $took:" \
        "$(bytes "$(field "$demo/build-$1.json" 'sum(p["totalSize"] for p in d["packages"])')") of site," \
        "$(bytes "$(field "$demo/build-$1.json" 'sum(p["archiveSize"] for p in d["packages"])')") of zip"
}
publish() { # v1
    run "publish-$1" publish packages/"$1"/*.zip --channel beta
    tell "published to beta in $took"
}
manifest() { # v1 app: the digest of its manifest
    field "$demo/build-$1.json" "next(p['manifest'] for p in d['packages'] if p['package'] == '$2')"
}
active() { # app: the version that the device runs
    run status client status "${device[@]}"
    field "$demo/status.json" "d['packages']['$1'].get('active')"
}
patch_of() { # the file of an app's patch from v1 to v2
    echo ".packtool/registry/view/patches/$(manifest v2 "$1")/$(manifest v1 "$1").zst"
}
starts_and_works() {
    run start client start "${device[@]}"
    for app in "${apps[@]}"; do run confirm client confirm "${device[@]}" --package "$app"; done
}

# --- the story -------------------------------------------------------------------------------------------------------

chapter "Version ${version[v1]}: built, published, installed, read"
build v1
tell "files that both apps have went to a shared bundle:" \
    "$(bytes "$(field "$demo/build-v1.json" 'd["sharedSaving"]')") less to send;" \
    "$(field "$demo/build-v1.json" 'sum(len(p["leftOut"]) for p in d["packages"])') files (source maps) left out"
publish v1
serving registry serve
device+=(--registry "$url" --root .packtool/root.json)
tell "the registry is at $url"
run update-v1 client update "${device[@]}"
tell "a device installed ${version[v1]} in $took"
starts_and_works
serving pages client serve "${device[@]}"
count=0
while IFS= read -r file; do
    curl -fsS "$url/$first/$file" | cmp - "sites/v1/$first/dist/$file" || fail "$file came back with other bytes"
    count=$((count + 1))
done < <(cd "sites/v1/$first/dist" && find . -type f ! -name '*.map' | sed 's|^\./||' | sort)
tell "$url/$first/ answers: $count files of $first came back byte-identical over HTTP"

chapter "Version ${version[v2]}: an update is a patch"
build v2
publish v2
# Devices can have it already; the server makes the patches meanwhile.
tell "the server looks for the smallest patch of each app: half a minute on two cores"
began_patches=$(date +%s%N)
for app in "${apps[@]}"; do
    for _ in $(seq 600); do
        [ ! -e "$(patch_of "$app")" ] || break
        sleep 0.2
    done
    [ -e "$(patch_of "$app")" ] || fail "no patch of $app was made"
    tell "$app: made $(since "$began_patches") after the publication"
done
run update-v2 client update "${device[@]}"
[ "$(active "$first")" = "${version[v2]}" ] || fail "the device did not update"
total=0
for app in "${apps[@]}"; do
    patch=$(stat -c %s "$(patch_of "$app")")
    full=$(stat -c %s ".packtool/registry/view/patches/$(manifest v2 "$app")/full.zst")
    zip=$(field "$demo/build-v2.json" "next(p['archiveSize'] for p in d['packages'] if p['package'] == '$app')")
    tell "$app: a patch of $(bytes "$patch") (the zip has $(bytes "$zip"), everything in one zstd frame $(bytes "$full"))"
    total=$((total + patch))
done
tell "the device updated in $took; $(bytes "$total") of content crossed the wire"
starts_and_works

chapter "Version ${version[v3]}: broken; its first script throws, so no page ever confirms it"
build v3
publish v3
run update-v3 client update "${device[@]}"
tell "the device installed it in $took"
for attempt in 1 2 3; do
    run start client start "${device[@]}" --package "$first"
    tell "start $attempt: $first $(field "$demo/start.json" "d['packages']['$first']['version']")"
done
[ "$(active "$first")" = "${version[v2]}" ] || fail "the device did not go back"
tell "the device went back to ${version[v2]} by itself:" \
    "$(field "$demo/status.json" "d['packages']['$first']['failures'][0]['reason']")"
code=0
"$packtool" client update "${device[@]}" --package "$first" >"$demo/again.log" 2>&1 || code=$?
if [ "$code" -ne 2 ] || [ "$(active "$first")" != "${version[v2]}" ]; then fail "the broken version was tried again"; fi
tell "and does not try it again"

chapter "The channel is rolled back"
# What was published together goes back together: a second rollback would go back one version more.
run rollback rollback "$first" --channel beta
tell "in $took, both apps at once; a new device gets:"
run update-new client update --store "$demo/another-device" "${device[@]:2}"
for app in "${apps[@]}"; do
    found=$(field "$demo/update-new.json" "d['packages']['$app']['version']")
    tell "$app $found"
    [ "$found" = "${version[v2]}" ] || fail "$app is another version"
done

printf '\n%sThe whole way took %s.%s Look around: %s\n' "$bold" "$(since "$began")" "$plain" "${demo#"$OLDPWD"/}"
if [ "$packtool" != "${PACKTOOL:-$optimized}" ]; then
    echo "This packtool was built without optimization: commands take up to twice as long as with the one of make release."
fi
