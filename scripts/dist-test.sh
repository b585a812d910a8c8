#!/usr/bin/env bash
# shellcheck disable=SC2016 # What runs inside other roots is expanded there.
# Tries what `make dist` made, as people would: in a clean Debian with only the .deb and apt, in one with only Node and the npm files,
# in the image, and from the portable folder. Each goes through the README's five minutes in under 60 seconds, without a compiler.
# Needs root, for other roots. Arguments: some of the tries only: service deb npm webpack image portable files.
source "$(dirname "$0")/dist-environment.sh"

tries=("$@")
[ "$#" -gt 0 ] || tries=(files service deb npm webpack image portable)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/packtool-dist.XXXXXX")
roots=$PWD/.cache/dist-roots
mkdir -p "$roots"
trap 'rm -rf "$scratch"' EXIT
fail() { echo "error: $*" >&2; exit 1; }

# A clean Debian in a folder; how it was made is kept for the next time.
clean_root() {
    # mmdebstrap makes a folder of a name that does not end so.
    local kept=$roots/$1.tar new=$roots/$1.new.tar
    [ -s "$kept" ] || scripts/dist-root.sh minbase "$new" "${@:3}"
    [ -s "$kept" ] || mv "$new" "$kept"
    mkdir -p "$2"
    tar -C "$2" --exclude='./dev/*' -xf "$kept"
    cp --remove-destination /etc/resolv.conf "$2/etc/resolv.conf"
    mkdir -p "$2/files"
    cp "$out"/*.deb "$out"/*.tgz "$out"/*.tar.zst "$2/files/" 2>/dev/null || true
    cp scripts/dist-five-minutes.sh scripts/dist-webpack.sh templates/bundler/packtool-webpack-plugin.cjs "$2/files/"
}

# A command in such a root, with processes of its own, and nothing of this machine's environment.
inside() {
    unshare --mount --pid --fork --kill-child bash -c '
        mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$1" /bin/bash -euc "$2"' - "$1" "$2"
}

# Seconds that a command took, for the limit of the README.
within_a_minute() {
    local began=$SECONDS
    "${@:2}"
    local took=$((SECONDS - began))
    [ "$took" -lt 60 ] || fail "$1 took $took s; it has to be done in 60"
    echo "ok   $1: $took s"
}

try_files() {
    (cd "$out" && sha256sum --check --quiet SHA256SUMS)
    if [ -f "$out/SHA256SUMS.minisig" ] && [ -n "${PACKTOOL_PUBLIC_KEY:-}" ]; then
        minisign -V -q -p "$PACKTOOL_PUBLIC_KEY" -m "$out/SHA256SUMS"
    fi
    ! lintian --fail-on error,warning "$out"/*.deb 2>&1 | grep -E '^[EW]:' || fail "lintian"
    local bill
    for bill in "$out"/*.cdx.json; do
        python3 -c 'import json, sys
bill = json.load(open(sys.argv[1]))
names = {part["name"] for part in bill["components"]}
assert bill["bomFormat"] == "CycloneDX" and {"swift", "swift-nio", "swift-crypto", "libzstd1", "libc6"} <= names, names
assert all(part["version"] and part["purl"] for part in bill["components"])' "$bill"
    done
    echo "ok   checksums, lintian, bills of materials"
}

# A throwaway systemd is not there: what the unit may do is judged from its file, and what it starts is run as its user.
try_service() {
    local tree=$scratch/unit
    dpkg-deb -x "$out/packtool_${deb_version}_$arch.deb" "$tree"
    local score
    score=$(systemd-analyze security --offline=true --no-pager --root="$tree" packtool.service |
        sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p')
    awk -v score="$score" 'BEGIN { exit !(score != "" && score <= 2.0) }' || fail "the unit scores $score; 2.0 is the limit"
    echo "ok   packtool.service scores $score"
}

try_deb() {
    local root=$scratch/deb
    clean_root debian "$root"
    within_a_minute "apt-get install, and the five minutes" inside "$root" '
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /files/packtool_*.deb >/dev/null 2>&1
        ! command -v cc gcc clang
        packtool --version
        bash -eu /files/dist-five-minutes.sh packtool'
    # The service, as its unit starts it; the options come from the configuration file.
    inside "$root" '
        chown -R packtool:packtool /var/lib/packtool
        options=$(sed -n "s/^PACKTOOL_SERVE_OPTIONS=//p" /etc/packtool/serve.conf)
        runuser -u packtool -- packtool serve --registry /var/lib/packtool/registry --json-logs $options >/tmp/served 2>&1 &
        for i in $(seq 100); do grep -q "http://127.0.0.1:8787" /tmp/served && break; sleep 0.1; done
        exec 3<>/dev/tcp/127.0.0.1/8787
        printf "GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" >&3
        head -1 <&3 | grep -q "200 OK"
        kill %1; wait
        # Removing keeps the configuration, purging removes it and keeps the registry.
        apt-get remove -y -qq packtool >/dev/null 2>&1 && test -f /etc/packtool/serve.conf && ! command -v packtool
        apt-get purge -y -qq packtool >/dev/null 2>&1 && test ! -e /etc/packtool/serve.conf
        test -d /var/lib/packtool/registry && id packtool >/dev/null'
    echo "ok   the service as its user, removing and purging"
}

try_npm() {
    local root=$scratch/npm
    clean_root node "$root" --include=nodejs,npm
    within_a_minute "npm install, and the five minutes" inside "$root" '
        mkdir /root/project && cd /root/project
        npm init -y >/dev/null
        npm install --offline --no-audit --no-fund --silent /files/packtool-linux-*.tgz /files/packtool-[0-9]*.tgz
        npx packtool --version
        bash -eu /files/dist-five-minutes.sh "$PWD/node_modules/.bin/packtool"
        # The exit code and the messages are those of the executable.
        npx packtool build /nowhere 2>/tmp/said && exit 1
        test -s /tmp/said
        mkdir dist && echo "<!doctype html><title>Shop</title>" >dist/index.html
        npx packtool build dist >/dev/null && ls packages/project-1.0.0.zip >/dev/null'
}

try_webpack() {
    local root=$scratch/webpack
    clean_root webpack "$root" --include=nodejs,webpack
    inside "$root" 'apt-get install -y -qq --no-install-recommends /files/packtool_*.deb >/dev/null 2>&1 ||
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends /files/packtool_*.deb >/dev/null 2>&1; }
        bash -eu /files/dist-webpack.sh'
    echo "ok   the webpack plugin in webpack"
}

try_portable() {
    local root=$scratch/portable
    clean_root debian "$root"
    mkdir "$root/opt/packtool"
    zstd -dcq "$out/$name.tar.zst" | tar -C "$root/opt/packtool" --strip-components=1 -xf -
    within_a_minute "the portable folder, and the five minutes" inside "$root" '
        bash -eu /files/dist-five-minutes.sh /opt/packtool/bin/packtool'
}

# The image by runc, from the layout in the archive: no rights, a read-only root, one volume. First the five minutes in it, then what it
# does by itself: serve the registry in its volume.
try_image() {
    local bundle=$scratch/bundle layout=$scratch/layout id=packtool-dist-$$
    mkdir -p "$layout" "$scratch/volume"
    tar -C "$layout" -xf "$out/$name.oci.tar"
    skopeo inspect "oci-archive:$out/$name.oci.tar" | grep -q '"Architecture"' || fail "skopeo cannot read the image"
    umoci unpack --image "$layout:$version" "$bundle" >/dev/null 2>&1
    cp scripts/dist-five-minutes.sh "$scratch/volume/"
    chown -R 10001:10001 "$scratch/volume"
    cp "$bundle/config.json" "$scratch/config.json"
    contain "$scratch/config.json" "$bundle/config.json" "$scratch/volume" \
        /bin/bash -eu /var/lib/packtool/dist-five-minutes.sh /usr/bin/packtool
    within_a_minute "the image, read-only and without rights, and the five minutes" runc run --bundle "$bundle" "$id"

    contain "$scratch/config.json" "$bundle/config.json" "$scratch/volume"
    runc run --detach --bundle "$bundle" "$id" >"$scratch/served" 2>&1 </dev/null
    for _ in $(seq 100); do
        if grep -q 'http://0.0.0.0:8787' "$scratch/served"; then break; fi
        sleep 0.1
    done
    runc exec "$id" /bin/bash -euc 'exec 3<>/dev/tcp/127.0.0.1/8787
        printf "GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" >&3
        head -1 <&3' | grep -q '200 OK' || { cat "$scratch/served" >&2; fail "the image does not serve"; }
    runc kill "$id" TERM
    for _ in $(seq 150); do
        if [ "$(runc state "$id" | sed -n 's/.*"status": "\(.*\)".*/\1/p')" = stopped ]; then break; fi
        sleep 0.1
    done
    runc delete "$id" || { runc delete --force "$id"; fail "the image does not end on SIGTERM"; }
    echo "ok   the image serves, and ends on SIGTERM"
}

# An image's configuration as `podman run --read-only --cap-drop all -v VOLUME:/var/lib/packtool` makes it, with its own command or another.
contain() {
    python3 - "$@" <<'PYTHON'
import json, sys
source, target, volume, *words = sys.argv[1:]
config = json.load(open(source))
assert config["process"]["user"] == {"uid": 10001, "gid": 10001}, config["process"]["user"]
config["root"]["readonly"] = True
config["process"] |= {"terminal": False, "noNewPrivileges": True}
config["process"]["args"] = words or config["process"]["args"]
config["process"]["capabilities"] = {kind: [] for kind in config["process"].get("capabilities", {})}
config["mounts"] = [m for m in config["mounts"] if m["destination"] not in ("/var/lib/packtool", "/tmp")] + [
    {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]},
    {"destination": "/var/lib/packtool", "type": "bind", "source": volume, "options": ["bind", "rw", "nosuid", "nodev"]}]
json.dump(config, open(target, "w"))
PYTHON
}

for each in "${tries[@]}"; do "try_$each"; done
