#!/usr/bin/env bash
# The README's five minutes with the packtool given: build, publish, be a device, serve, change, get a patch, roll back.
# Bash only: it runs in systems that have nothing else.
set -euo pipefail
PATH=$(dirname "$1"):$PATH
export PATH
mkdir -p /tmp/five && cd /tmp/five
command -v packtool >/dev/null

packtool init shop && cd shop
packtool build dist
packtool inspect packages/shop-1.0.0.zip >/dev/null
packtool publish --channel beta
packtool client update --store /tmp/five/device --channel beta

packtool client serve --store /tmp/five/device >/tmp/five/served 2>&1 &
server=$!
for _ in $(seq 100); do
    if grep -q 8789 /tmp/five/served; then break; fi
    sleep 0.1
done
get() {
    exec 3<>/dev/tcp/127.0.0.1/8789
    printf 'GET %s HTTP/1.1\r\nHost: shop.package.localhost:8789\r\nConnection: close\r\n\r\n' "$1" >&3
    cat <&3
    exec 3>&-
}
page=$(get /)
[[ $page == *"200 OK"* && $page == *"<!doctype html>"* ]] || { echo "error: the page is: $page" >&2; exit 1; }
kill "$server"
wait "$server" || true

sed -i 's/"version": "1.0.0"/"version": "1.0.1"/' packtool.json
echo '<p>Changed.</p>' >>dist/index.html
packtool build dist
packtool publish --channel beta
update=$(packtool client update --store /tmp/five/device --channel beta 2>&1)
[[ $update == *1.0.1* ]] || { echo "error: the device says: $update" >&2; exit 1; }
packtool rollback shop --channel beta
back=$(packtool client update --store /tmp/five/device --channel beta 2>&1)
[[ $back == *1.0.0* ]] || { echo "error: the device says: $back" >&2; exit 1; }

# What a server would serve, for what runs next in the same system.
if [ -w /var/lib/packtool ]; then cp -r .packtool/registry /var/lib/packtool/registry; fi
