#!/usr/bin/env bash
# Shows that the same commit gives the same bytes: runs scripts/dist.sh in two clones, the second with another name, umask, home
# folder, language and time zone, and compares every file. Two release builds: some 20 minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=${1:-$(mktemp -d "${TMPDIR:-/tmp}/packtool-twice.XXXXXX")}
commit=$(git rev-parse HEAD)
source=$PWD

clone() {
    [ -d "$1" ] || git clone -q --no-local "$source" "$1"
    git -C "$1" checkout -q "$commit"
}
clone "$scratch/first"
clone "$scratch/second-folder-with-a-longer-name"

(cd "$scratch/first" && umask 022 && TZ=UTC LANG=C scripts/dist.sh)
(
    cd "$scratch/second-folder-with-a-longer-name"
    umask 077
    export TZ=Asia/Tokyo LANG=de_DE.UTF-8 HOSTNAME=elsewhere HOME="$scratch/home" USER=somebody
    mkdir -p "$HOME"
    scripts/dist.sh
)
diff -r "$scratch/first/.build/dist" "$scratch/second-folder-with-a-longer-name/.build/dist"
cat "$scratch/first/.build/dist/SHA256SUMS"
echo "two builds of $commit in $scratch: the same bytes"
