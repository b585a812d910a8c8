#!/usr/bin/env bash
# Part of `make dist`: what an installation of packtool is, as a tree below $work/tree: executable, man pages, completions, and
# the schemas of its files.
# From: $work/packtool
source "$(dirname "$0")/dist-environment.sh"

tree=$work/tree
rm -rf "$tree"
install -D -m 755 "$work/packtool" "$tree/usr/bin/packtool"
install -D -m 644 -t "$tree/usr/share/packtool/schema" docs/schema/*.schema.json templates/config/packtool.schema.json
scripts/make-manual.py "$work/packtool" "$tree/usr/share/man/man1" >/dev/null
complete() {
    mkdir -p "$(dirname "$tree/usr/share/$2")"
    "$work/packtool" --generate-completion-script "$1" >"$tree/usr/share/$2"
}
complete bash bash-completion/completions/packtool
complete zsh zsh/vendor-completions/_packtool
complete fish fish/vendor_completions.d/packtool.fish
# bash-completion sources the file; a first line for the kernel would be wrong there.
sed -i '1{/^#!/d}' "$tree/usr/share/bash-completion/completions/packtool"
