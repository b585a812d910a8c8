# shellcheck shell=bash
# Sourced by the parts of `make dist`: the version, the commit, and surroundings in which the same commit gives the same bytes.
# Sets: version (0.2.0), deb_version, commit, SOURCE_DATE_EPOCH, out (the folder of what is handed out), work (the parts' own).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

umask 022
export LC_ALL=C TZ=UTC
export PACKTOOL_DIST="${PACKTOOL_DIST:-.build/dist}"
out=$PWD/$PACKTOOL_DIST
work=$PWD/$PACKTOOL_DIST.work
# The parts are made for the machine that builds.
arch=$(dpkg --print-architecture)

version=$(sed -n 's/.*static let text = "\(.*\)"$/\1/p' Sources/PackFormat/Names/ProductVersion.swift)
commit=$(git rev-parse --short=12 HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# Builds between releases sort after the one before and below the one to come: 0.2.0-dev.20261124.g0123456789ab.
if [[ $version == *-dev ]]; then
    version="$version.$(date -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M).g$commit"
fi
deb_version=${version/-/\~}
# The name of each file that is handed out begins so.
# shellcheck disable=SC2034
name=packtool_${version}_linux_$arch
: "$out" "$work" "$deb_version"

# Packs a folder so that only names, contents and modes count.
packed() {
    tar --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$1" -cf - "${@:2}"
}

# A file with the values of this build in the places of {{version}} and others.
filled_in() {
    sed -e "s/{{version}}/$version/g" -e "s/{{commit}}/$commit/g" -e "s/{{arch}}/$arch/g" "$1"
}
