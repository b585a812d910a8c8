#!/usr/bin/env bash
# shellcheck disable=SC2016 # What runs inside other roots is expanded there.
# Tries what `make dist` made, as people would: in a clean Debian with only the .deb and apt, in one with only Node and the npm files,
# in the image, and from the portable folder. Each goes through the README's five minutes in under 60 seconds, without a compiler.
# Needs root, for other roots. Arguments: some of the tries only: files signature service deb kiosk npm webpack
# image portable.
source "$(dirname "$0")/dist-environment.sh"

tries=("$@")
[ "$#" -gt 0 ] || tries=(files signature service deb kiosk npm webpack image portable)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/packtool-dist.XXXXXX")
roots=$PWD/.cache/dist-roots
mkdir -p "$roots"
booted=
trap 'unboot; rm -rf "$scratch"' EXIT
# What `--version` says: commit and build.
stamp="${version/-dev.*/-dev} (commit $commit of $(date -d "@$SOURCE_DATE_EPOCH" +%F), release build for linux-$(uname -m))"
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
    cp README.md scripts/dist-five-minutes.sh scripts/dist-webpack.sh templates/bundler/packtool-webpack-plugin.cjs "$2/files/"
}

# A command in such a root, with processes of its own, and nothing of this machine's environment.
inside() {
    unshare --mount --pid --fork --kill-child bash -c '
        mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 STAMP="$3" chroot "$1" /bin/bash -euc "$2"' - "$1" "$2" "$stamp"
}

# Seconds that a command took, for the limit of the README.
within_a_minute() {
    local began=$SECONDS
    "${@:2}"
    local took=$((SECONDS - began))
    [ "$took" -lt 60 ] || fail "$1 took $took s; it has to be done in 60"
    echo "ok   $1: $took s"
}

# The command line of the README that begins so.
of_readme() {
    local line
    line=$(sed -n "s/^    \($1[^#]*\).*/\1/p" README.md | head -1)
    [ -n "$line" ] || fail "the README has no line $1"
    echo "$line"
}

# The README's verification, with a key that signs as `make dist` does: it holds, and not any more after one byte has changed.
try_signature() {
    local folder=$scratch/signed line file
    line=$(of_readme 'minisign -Vm')
    mkdir -p "$folder"
    cp "$out"/SHA256SUMS "$out"/Containerfile "$out"/*.cdx.json "$folder/"
    minisign -G -W -s "$scratch/packtool.key" -p "$folder/packtool.pub" >/dev/null
    scripts/dist-sign.sh "$scratch/packtool.key" "$folder/SHA256SUMS"
    (cd "$folder" && eval "$line") >/dev/null || fail "the README's verification refuses sound files"
    for file in SHA256SUMS Containerfile SHA256SUMS.minisig; do
        cp "$folder/$file" "$scratch/sound"
        sed -i '1s/./X/' "$folder/$file"
        ! (cd "$folder" && eval "$line") >/dev/null 2>&1 || fail "the README's verification accepts another byte in $file"
        cp "$scratch/sound" "$folder/$file"
    done
    echo "ok   the signature, by the README's line"
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

# Installs the .deb in a root with systemd. Arguments: the root, the package's name.
install_with_systemd() {
    clean_root systemd "$1" --include=systemd,systemd-sysv
    inside "$1" "apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /files/$2_[0-9]*.deb >/dev/null 2>&1"
}

# The service in a system that its own systemd has booted, with all that the unit restricts in force.
try_service() {
    local root=$scratch/service score state=
    install_with_systemd "$root" packtool
    inside "$root" 'systemd-analyze verify --man=no packtool.service'
    score=$(inside "$root" 'systemd-analyze security --offline=true --no-pager packtool.service' |
        sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p')
    awk -v score="$score" 'BEGIN { exit !(score != "" && score <= 2.0) }' || fail "the unit scores $score; 2.0 is the limit"
    cp scripts/dist-unit.sh scripts/dist-unit-probe.pl "$root/files/"
    scripts/dist-boot.sh "$root" "$scratch/first" >"$scratch/booted" 2>&1 &
    booted=$!
    # The root's first process is systemd only after it has made the place for it.
    for _ in $(seq 600); do
        state=$(in_booted 'systemctl is-system-running --wait' 2>/dev/null || true)
        case $state in running | degraded) break ;; esac
        sleep 0.1
    done
    case $state in running | degraded) ;; *) cat "$scratch/booted" >&2; fail "systemd did not come up: $state" ;; esac
    in_booted 'bash /files/dist-unit.sh'
    unboot
    echo "ok   packtool.service scores $score, and serves, makes a patch, upgrades and ends under systemd"
}

# A command in the booted system.
in_booted() {
    nsenter --target "$(cat "$scratch/first")" --mount --uts --ipc --net --pid --cgroup --root --wd \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 /bin/bash -euc "$1"
}

unboot() {
    if [ -n "$booted" ]; then
        kill "$booted" 2>/dev/null || true
        wait "$booted" || true
        booted=
    fi
}

# The kiosk's package in a clean root; what it shows needs a screen, and is tried by the tests.
try_kiosk() {
    local root=$scratch/kiosk score said
    install_with_systemd "$root" packtool-kiosk
    said=$(inside "$root" 'packtool-kiosk --version')
    [ "$said" = "$stamp" ] || fail "packtool-kiosk --version says $said, not $stamp"
    inside "$root" 'mkdir -p /run/user/0 && XDG_RUNTIME_DIR=/run/user/0 systemd-analyze verify --man=no --user packtool-kiosk.service'
    score=$(inside "$root" 'systemd-analyze security --offline=true --no-pager /usr/lib/systemd/user/packtool-kiosk.service' |
        sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p')
    [ -n "$score" ] || fail "the kiosk's unit has no score"
    echo "ok   packtool-kiosk installs and starts; its unit scores $score"
}

try_deb() {
    local root=$scratch/deb
    clean_root debian "$root"
    within_a_minute "apt-get install, and the five minutes" inside "$root" '
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /files/packtool_*.deb >/dev/null 2>&1
        ! command -v cc gcc clang
        [ "$(packtool --version)" = "$STAMP" ]
        test -s /usr/share/doc/packtool/NOTICES.gz
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
        [ "$(npx packtool --version)" = "$STAMP" ]
        test -s node_modules/@packtool/linux-*/NOTICES.txt
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
    # The line of the README, which needs zstd.
    local line
    line=$(of_readme 'tar -xf')
    (cd "$root/opt" && eval "${line//packtool_VERSION_linux_amd64/$out/$name}" && mv packtool-*-linux-* packtool)
    test -s "$root/opt/packtool/NOTICES.txt"
    within_a_minute "the portable folder, and the five minutes" inside "$root" '
        [ "$(/opt/packtool/bin/packtool --version)" = "$STAMP" ]
        bash -eu /files/dist-five-minutes.sh /opt/packtool/bin/packtool'
}

# The image by runc, from the layout in the archive: no rights, a read-only root, one volume. First the five minutes in it, then what it
# does by itself: serve the registry in its volume.
try_image() {
    local bundle=$scratch/bundle layout=$scratch/layout id=packtool-dist-$$
    mkdir -p "$layout" "$scratch/volume"
    tar -C "$layout" -xf "$out/$name.oci.tar"
    skopeo inspect "oci-archive:$out/$name.oci.tar" | grep -q '"Architecture"' || fail "skopeo cannot read the image"
    load_image
    umoci unpack --image "$layout:packtool:$version" "$bundle" >/dev/null 2>&1
    cp README.md scripts/dist-five-minutes.sh "$scratch/volume/"
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

# The README's lines that load the image and fill its volume, in podman itself. Then podman knows the image by the name that the README
# gives it. What podman would run is run by runc: a container in a container is not for every machine that runs this.
load_image() {
    local root=$scratch/podman line named
    clean_root podman "$root" --include=podman
    mkdir -p "$root/files/.packtool/registry/view"
    cp "$out/$name.oci.tar" "$root/files/"
    line=$(of_readme 'podman run')
    named=${line##*8787 }
    named=${named//VERSION/$version}
    inside "$root" "mount -t tmpfs tmpfs /run && mount -t sysfs sysfs /sys && cd /files
        $(of_readme 'podman load' | sed "s/packtool_VERSION_linux_amd64/$name/")
        podman image exists $named
        $(of_readme 'podman volume create')
        $(of_readme 'tar -C .packtool')
        [ \"\$(stat -c %u:%a \"\$(podman volume inspect packages --format '{{.Mountpoint}}')/registry\")\" = 10001:755 ]" \
        >"$scratch/loaded" 2>&1 || { cat "$scratch/loaded" >&2; fail "podman does not load the image as $named"; }
    echo "ok   podman loads the image as $named, and fills its volume"
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
