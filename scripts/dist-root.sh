#!/usr/bin/env bash
# Makes a root file system of Debian as a tar file: dist-root.sh VARIANT OUT.tar [mmdebstrap's options]. The packages come from where
# this machine gets its own: Debian's sources as apt has them configured, with their keys.
set -euo pipefail
variant=$1 tar=$2
shift 2

sources=$(mktemp)
trap 'rm -f "$sources" "$sources.log"' EXIT
# shellcheck disable=SC2016
apt-get indextargets --format '$(ORIGIN) $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk '$1 == "Debian" { print "deb", $2, $3, $4 }' | sort -u >"$sources"
[ -s "$sources" ] || { echo "error: apt has no Debian sources; run apt-get update" >&2; exit 1; }
# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")

# A root that a power cut spoils is made anew: nothing waits for the disk.
if ! mmdebstrap --variant="$variant" --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io "$@" "$codename" "$tar" "$sources" \
    >"$sources.log" 2>&1; then
    tail -30 "$sources.log" >&2
    echo "error: mmdebstrap did not make $tar" >&2
    exit 1
fi
