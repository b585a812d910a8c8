#!/usr/bin/env bash
# Fetches the archives that libzip and libarchive test themselves with into .cache/archive-corpora, for
# ArchiveCorpusTests. Needs apt and the network; changes nothing of the system's package lists.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$PWD/.cache/archive-corpora
[ -f "$target/complete" ] && { echo "already there: $target"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/parts" "$target"
# The sources of Debian's own packages lie beside the packages that this system is set up to install.
# shellcheck disable=SC2016  # apt fills these in.
apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' 'Component: main' | sort -u >"$work/parts/src.list"
[ -s "$work/parts/src.list" ] || {
    echo "error: apt knows no source of Debian's packages: run apt-get update, and see /etc/apt/sources.list.d" >&2
    exit 1
}
options=(-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/parts" -o Dir::State::Lists="$work/lists"
  -o APT::Sandbox::User=root -qq)
apt-get "${options[@]}" update
(cd "$work" && apt-get "${options[@]}" source --download-only libzip libarchive)
for archive in "$work"/*.orig.tar.*; do
  case $archive in *.asc) continue ;; esac
  mkdir -p "$work/unpacked" && tar -xf "$archive" -C "$work/unpacked"
done
mkdir -p "$target/libzip" "$target/libarchive"
find "$work/unpacked" -path '*libzip*/regress/*.zip' -exec cp {} "$target/libzip/" \;
# libarchive keeps its test files uuencoded.
find "$work/unpacked" -path '*libarchive*/test/*.zip*.uu' | while read -r file; do
  name=$(basename "$file" .uu)
  python3 - "$file" "$target/libarchive/$name" <<'END'
import binascii, sys
out = open(sys.argv[2], "wb")
body = False
for line in open(sys.argv[1], "rb"):
    if not body:
        body = line.startswith(b"begin ")
        continue
    if line.strip() == b"end":
        break
    try:
        out.write(binascii.a2b_uu(line))
    except binascii.Error:
        count = (((line[0] - 32) & 63) * 4 + 5) // 3
        out.write(binascii.a2b_uu(line[:count]))
END
done
touch "$target/complete"
for library in libzip libarchive; do
    printf '%s: %d archives\n' "$library" "$(find "$target/$library" -type f | wc -l)"
done
