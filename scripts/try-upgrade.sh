#!/usr/bin/env bash
# Goes through an upgrade and back again with two real programs: try-upgrade.sh OLD NEW, each a packtool. It ends at the first thing that
# is not as "Upgrades and downgrades" in docs/RELEASING.md says, and leaves its folder for a look. Everything happens below a temporary
# folder, or below FOLDER. Some 30 seconds.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: try-upgrade.sh OLD NEW" >&2; exit 2; }
old=$(realpath "$1")
new=$(realpath "$2")
run=${FOLDER:-$(mktemp -d "${TMPDIR:-/tmp}/packtool-upgrade.XXXXXX")}
mkdir -p "$run"
cd "$run"
log=$run/said.txt
# Whoever has a registry of their own set up keeps it out of this.
unset PACKTOOL_REGISTRY PACKTOOL_TOKEN PACKTOOL_KEY PACKTOOL_OWNER_KEY PACKTOOL_ROOT_KEY PACKTOOL_PASSPHRASE
export XDG_CACHE_HOME=$run/cache
registry=.packtool/registry
servers=()
# Where a server answers; empty while there is none.
address=""
checks=0
stop_servers() {
    for server in "${servers[@]}"; do
        kill "$server" 2>/dev/null || true
        wait "$server" || true
    done
    servers=() address=""
}
trap stop_servers EXIT

# --- what is expected ------------------------------------------------------------------------------------------------

chapter() { printf '\n%s\n' "$1"; }
fail() { # WORDS
    printf 'error: not as docs/RELEASING.md says: %s\n' "$1" >&2
    [ ! -s "$log" ] || sed 's/^/    /' "$log" >&2
    echo "The folder is $run" >&2
    exit 1
}
passed() {
    checks=$((checks + 1))
    echo "   $1"
}
named() { # the command as people write it
    local text="$*"
    text=${text//$old/$old_name}
    echo "${text//$new/$new_name}"
}
# says WORDS COMMAND...: the command works and says the words. refuses: it ends with an error and says them.
says() {
    local words=$1 code=0
    shift
    timeout 120 "$@" >"$log" 2>&1 </dev/null || code=$?
    [ "$code" -eq 0 ] || fail "$(named "$@") ended with $code"
    [ -z "$words" ] || grep -qF -- "$words" "$log" || fail "$(named "$@") does not say \"$words\""
    passed "$(named "$@")"
}
refuses() {
    local words=$1 code=0
    shift
    timeout 120 "$@" >"$log" 2>&1 </dev/null || code=$?
    [ "$code" -ne 0 ] || fail "$(named "$@") worked"
    [ "$code" -ne 124 ] || fail "$(named "$@") did not end in 120 s"
    [ -z "$words" ] || grep -qF -- "$words" "$log" || fail "$(named "$@") does not say \"$words\""
    passed "refused: $(named "$@")"
}
does() { says "" "$@"; }
# active PROGRAM STORE VERSION: what the program reads in a device's store.
active() { says "shop  $3 active" "$1" client status --store "$2"; }
confirms() { # PROGRAM STORE VERSION: an app with the program starts that version, and its page works
    says "shop $3  token" "$1" client start --store "$2" --registry "${address:-$registry}"
    says "shop $3 is confirmed" "$1" client confirm --store "$2" --package shop --registry "${address:-$registry}"
}
updates() { # PROGRAM STORE VERSION [OPTIONS]
    says "shop $3 is active" "$1" client update --store "$2" --channel beta --registry "${address:-$registry}" "${@:4}"
}
update_refuses() { # WORDS PROGRAM STORE
    refuses "$1" "$2" client update --store "$3" --channel beta --registry "${address:-$registry}"
}
# serving PROGRAM OPTIONS...: a server on the registry of this folder; sets `address` to its address.
serving() {
    "$1" serve --registry "$registry" --port 0 "${@:2}" >"$run/server.log" 2>&1 &
    servers+=($!)
    for _ in $(seq 200); do
        address=$(grep -o 'http://127.0.0.1:[0-9]*' "$run/server.log" | head -1 || true)
        [ -z "$address" ] || return 0
        sleep 0.1
    done
    cp "$run/server.log" "$log"
    fail "$(named "$1" serve) does not listen"
}
token() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["token"])' "$run/project/$1.json"; }
status_of() { curl -s -o "$log" -w '%{http_code}' "$address$1"; } # PATH
build() { # PROGRAM VERSION [PACKTOOL.JSON]
    rm -rf "$run/site"
    mkdir -p "$run/site"
    echo "<!doctype html><title>shop $2</title><script>packtool.confirm()</script>" >"$run/site/index.html"
    seq 1 2000 | sed "s/^/line $2 of /" >"$run/site/lines.txt"
    (
        cd "$run"
        rm -f packtool.json
        [ -z "${3:-}" ] || echo "$3" >packtool.json
        "$1" build site --package shop --package-version "$2" --out zips --quiet >"$log" 2>&1
    ) || fail "$(named "$1" build) of $2"
}

old_name=$("$old" --version | cut -d ' ' -f 1)
new_name=$("$new" --version | cut -d ' ' -f 1)
: >"$log"
[ "$old_name" != "$new_name" ] || fail "both programs are $old_name"

# --- the story -------------------------------------------------------------------------------------------------------

chapter "A project, a registry and devices of $old_name"
for version in 1.0.0 1.1.0 1.2.1 1.5.0; do build "$old" $version; done
for version in 1.2.0 1.4.0; do build "$new" $version; done
build "$new" 1.3.0
build "$new" 1.6.0 '{"state": {"version": 2, "reads": [1, 2]}}'
mkdir project
cd project
does "$old" init . --template site --app shops
does "$old" publish ../zips/shop-1.0.0.zip --channel beta
"$old" token create ci --publish --release --json >ci.json 2>"$log" || fail "$old_name token create"
updates "$old" ../device 1.0.0 --root .packtool/root.json
confirms "$old" ../device 1.0.0
does "$old" publish ../zips/shop-1.1.0.zip --channel beta
updates "$old" ../device 1.1.0
confirms "$old" ../device 1.1.0

chapter "$new_name refuses while a server of $old_name runs, and changes nothing"
serving "$old"
[ "$(status_of "/offline/manifest.json")" != 404 ] || fail "a server of $old_name does not answer /offline/manifest.json"
refuses "a packtool serve of an earlier version has the registry" "$new" status --registry "$registry"
stop_servers
does "$old" status

chapter "The folder is migrated by the first command that opens it; $old_name cannot open it any more"
cp -a . ../copy
says "was of an earlier packtool and has this one's form now" "$new" status
if grep -q "was of an earlier" <("$new" status 2>&1); then fail "$new_name says more than once that it migrated"; fi
for command in "status" "publish ../zips/shop-1.5.0.zip --channel beta" "rollback shop --channel beta" "keys rotate online" \
    "serve --registry $registry --port 0"; do
    # shellcheck disable=SC2086
    refuses "was written by a newer packtool" "$old" $command
done
does "$new" registry check

chapter "Devices: each program reads the store of the other and updates it"
cp -a ../device ../device-old
active "$new" ../device 1.1.0
does "$new" publish ../zips/shop-1.2.0.zip --channel beta
updates "$new" ../device 1.2.0
confirms "$new" ../device 1.2.0
updates "$old" ../device-old 1.2.0
confirms "$old" ../device-old 1.2.0
active "$old" ../device 1.2.0
active "$new" ../device-old 1.2.0
says "shop 1.2.0  token" "$old" client start --store ../device --registry "$registry"
does "$new" publish ../zips/shop-1.4.0.zip --channel beta
cp -a ../device ../device-unconfirmed
updates "$new" ../device-unconfirmed 1.4.0
# Nobody confirms it: the other program counts on, and goes back.
for _ in 1 2 3; do does "$old" client start --store ../device-unconfirmed --registry "$registry"; done
active "$old" ../device-unconfirmed 1.2.0
updates "$old" ../device 1.4.0
confirms "$new" ../device 1.4.0

chapter "The server of $new_name with the program of $old_name"
cp -a . ../as-migrated
serving "$new"
status=$(status_of "/offline/manifest.json")
[ "$status" = 404 ] || fail "a server of $new_name answers /offline/manifest.json with $status"
PACKTOOL_TOKEN=$(token ci)
export PACKTOOL_TOKEN PACKTOOL_REGISTRY=$address
does "$old" publish ../zips/shop-1.5.0.zip --channel beta
does "$old" status
cp -a ../device ../device-served
updates "$old" ../device-served 1.5.0
confirms "$old" ../device-served 1.5.0
does "$old" rollback shop --channel beta
updates "$old" ../device-served 1.4.0
# A release for some devices looks as one for all.
does "$new" publish ../zips/shop-1.3.0.zip --channel next --rollout 0.25 --yes
says "offers" "$new" rollout shop --channel beta --percent 50 --audience platform=ios --yes
does "$old" status
! grep -q ios "$log" || fail "$old_name knows about audiences"
does "$old" preset shop --channel beta --out ../preset
grep -rqF 1.4.0 ../preset || fail "the preset of $old_name does not embed what is for some devices"
unset PACKTOOL_REGISTRY PACKTOOL_TOKEN
stop_servers
serving "$new" --adapter offline
status=$(status_of "/offline/manifest.json")
[ "$status" != 404 ] || fail "a server of $new_name with --adapter offline answers 404"
stop_servers

chapter "The program of $new_name with a server of $old_name, in the copy"
rm -rf ../served
cp -a ../copy ../served
cd ../served
serving "$old"
PACKTOOL_TOKEN=$(token ci)
export PACKTOOL_TOKEN PACKTOOL_REGISTRY=$address
does "$new" status
does "$new" publish ../zips/shop-1.2.0.zip --channel beta
updates "$new" ../device-new 1.2.0 --root .packtool/root.json
confirms "$new" ../device-new 1.2.0
refuses "the field \"audiences\" is not known" "$new" publish ../zips/shop-1.4.0.zip --channel beta --audience platform=ios --yes
refuses "the field \"share\" is not known" "$new" rollout shop --channel beta --percent 0.25 --yes
does "$new" rollback shop --channel beta
updates "$new" ../device-new 1.1.0
unset PACKTOOL_REGISTRY PACKTOOL_TOKEN
stop_servers
cd ../project

chapter "A version with state: an app that goes back to $old_name marks it as failed"
rm -rf ../project
cp -a ../as-migrated ../project
cd ../project
does "$new" publish ../zips/shop-1.6.0.zip --channel beta --yes
cp -a ../device ../device-state
updates "$new" ../device-state 1.6.0
confirms "$new" ../device-state 1.6.0
says "shop 1.4.0" "$old" client start --store ../device-state --registry "$registry"
says "failed: 1.6.0, its files are missing or damaged" "$old" client status --store ../device-state
update_refuses "1.6.0 is passed over: it failed on this device" "$new" ../device-state
does "$new" rollout retry shop --channel beta
updates "$new" ../device-state 1.6.0

chapter "Back to $old_name with the copy, which devices take after keys rotate online"
cd ../copy
does "$old" status
updates "$old" ../device-fresh 1.1.0 --root .packtool/root.json
does "$old" publish ../zips/shop-1.5.0.zip --channel beta
update_refuses "timestamp would go back" "$old" ../device
update_refuses "timestamp would go back" "$new" ../device-served
does "$old" keys rotate online
updates "$old" ../device 1.5.0
updates "$new" ../device-old 1.5.0
updates "$old" ../device-fresh 1.5.0
does "$new" registry check

printf '\n%s and %s: %d steps are as docs/RELEASING.md says\n' "$old_name" "$new_name" "$checks"
[ -n "${FOLDER:-}" ] || rm -rf "$run"
