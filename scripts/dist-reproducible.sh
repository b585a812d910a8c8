#!/usr/bin/env bash
# Shows that the same commit gives the same bytes: runs scripts/dist.sh in two clones, the second with another name, umask, home
# folder, language and time zone, and compares every file. Two release builds: some 20 minutes. dist-reproducible.sh [FOLDER]
# SECOND_USER names a user of the machine who makes the second build, which needs root:
#   SECOND_USER=nobody scripts/dist-reproducible.sh
set -euo pipefail
cd "$(dirname "$0")/.."
# As make dist does, which the second user could not.
scripts/install-system-packages.sh
scripts/install-system-packages.sh scripts/dist-packages.txt
scratch=${1:-$(mktemp -d "${TMPDIR:-/tmp}/packtool-twice.XXXXXX")}
commit=$(git rev-parse HEAD)
source=$PWD

clone() {
    [ -d "$1" ] || git clone -q --no-local "$source" "$1"
    # One of an earlier run has other commits, and the second may belong to the second user.
    git -c safe.directory="$1" -C "$1" fetch -q "$source" "$commit"
    git -c safe.directory="$1" -C "$1" checkout -q "$commit"
}
second=$scratch/second-folder-with-a-longer-name
clone "$scratch/first"
clone "$second"

mkdir -p "$scratch/home" "$scratch/tmp"
as_second=()
user=${SECOND_USER:-}
if [ -z "$user" ]; then
    echo "the same user makes both builds: SECOND_USER names another, which needs root"
elif [ "$(id -u)" -ne 0 ]; then
    echo "the same user makes both builds: only root can build as $user"
    user=
else
    as_second=(setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups)
    # That user finds the way, and nothing of the first build.
    chmod 711 "$scratch"
    chmod 700 "$scratch/first"
    # Copies of packages on this machine may belong to root, and git reads them for nobody else unasked.
    git config --file "$scratch/home/.gitconfig" safe.directory '*'
    # The image's root is made in a user namespace, for which a user that is no person has no ids.
    if ! grep -q "^$user:" /etc/subuid || ! grep -q "^$user:" /etc/subgid; then
        usermod --add-subuids 200000-265535 --add-subgids 200000-265535 "$user"
    fi
    chown -R "$user" "$second" "$scratch/home" "$scratch/tmp"
fi

(cd "$scratch/first" && umask 022 && TZ=UTC LANG=C scripts/dist.sh)
(
    cd "$second"
    umask 077
    export TZ=Asia/Tokyo LANG=de_DE.UTF-8 HOSTNAME=elsewhere HOME="$scratch/home" TMPDIR="$scratch/tmp" USER="${user:-somebody}"
    "${as_second[@]}" scripts/dist.sh
)
diff -r "$scratch/first/.build/dist" "$second/.build/dist"
cat "$scratch/first/.build/dist/SHA256SUMS"
echo "two builds of $commit in $scratch, the second by ${user:-the same user}: the same bytes"
