#!/usr/bin/env bash
# Part of `make dist`: the source as a .tar.gz, and a Homebrew formula for it and for the portable folder.
source "$(dirname "$0")/dist-environment.sh"

source=packtool-$version.tar.gz
# Its times are the commit's.
git archive --format=tar --prefix="packtool-$version/" HEAD >"$work/source.tar"
gzip -9nc "$work/source.tar" >"$out/$source"

sum() { sha256sum "$out/$1" | cut -d ' ' -f 1; }
filled_in packaging/homebrew/packtool.rb | sed \
    -e "s|{{downloads}}|${PACKTOOL_DOWNLOADS:-https://downloads.example.com/packtool}|g" \
    -e "s/{{portable}}/$name.tar.zst/" -e "s/{{portable-sha256}}/$(sum "$name.tar.zst")/" \
    -e "s/{{source-sha256}}/$(sum "$source")/" >"$out/packtool.rb"
ruby -c "$out/packtool.rb" >/dev/null
