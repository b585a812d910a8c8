#!/usr/bin/env bash
# The README's five minutes, as they are written there, with the packtool given: build, publish, be a device, serve, change, get a patch,
# roll back. README.md is beside this script or above its folder. Bash only: it runs in systems that have nothing else.
# Environment: FOLDER for the project and the device's store in place of /tmp, PORT for `client serve`.
set -euo pipefail
PATH=$(dirname "$1"):$PATH
export PATH
here=$(cd "$(dirname "$0")" && pwd)
readme=$here/README.md
[ -f "$readme" ] || readme=$here/../README.md
work=${FOLDER:-/tmp} port=${PORT:-8789}
mkdir -p "$work/five" && cd "$work/five"
command -v packtool >/dev/null
fail() { echo "error: $*" >&2; exit 1; }

mapfile -t lines < <(sed -n '/^## Five minutes/,/^## A device/s/^    //p' "$readme")
# The line that begins so: it runs in this shell, since a line may change the folder. A change of the README has to be followed here.
taken=0
follow() {
    local line=${lines[taken]:-}
    [[ $line == "$1"* ]] || fail "line $((taken + 1)) of the README's five minutes is '$line', not '$1…'"
    taken=$((taken + 1))
    again "$line"
}
again() {
    echo "\$ $1"
    eval "${1//\/tmp\/device/$work/device}"
}
get() {
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET %s HTTP/1.1\r\nHost: shop.package.localhost:%s\r\nConnection: close\r\n\r\n' "$1" "$port" >&3
    cat <&3
    exec 3>&-
}

follow "packtool init shop && cd shop"
build=${lines[taken]:-}
follow "packtool build"
follow "packtool inspect" >/dev/null
publish=${lines[taken]:-}
follow "packtool publish"
update=${lines[taken]:-}
follow "packtool client update"

if [ "$port" = 8789 ]; then serve=${lines[taken]:-}; else serve="${lines[taken]:-} --port $port"; fi
[[ $serve == "packtool client serve"* ]] || fail "the README does not serve after the update: $serve"
taken=$((taken + 1))
again "exec $serve" >"$work/five/served" 2>&1 &
server=$!
for _ in $(seq 100); do
    if grep -q "$port" "$work/five/served" && grep -q http: "$work/five/served"; then break; fi
    sleep 0.1
done
page=$(get /)
[[ $page == *"200 OK"* && $page == *"<!doctype html>"* ]] || fail "the page is: $page"
kill "$server"
wait "$server" || true

# "Change something in dist/, raise version in packtool.json, and repeat the steps: the device fetches a patch."
sed -i 's/"version": "1.0.0"/"version": "1.0.1"/' packtool.json
echo '<p>Changed.</p>' >>dist/index.html
again "$build"
again "$publish"
said=$(again "$update" 2>&1)
[[ $said == *"1.0.1 is active (patch"* ]] || fail "the device says: $said"
follow "packtool rollback"
said=$(again "$update" 2>&1)
[[ $said == *1.0.0* ]] || fail "the device says: $said"
[ "$taken" = "${#lines[@]}" ] || fail "the README's five minutes go on with '${lines[taken]}'"

# What a server would serve, for what runs next in the same system.
if [ -z "${FOLDER:-}" ] && [ -w /var/lib/packtool ]; then cp -r .packtool/registry /var/lib/packtool/registry; fi
