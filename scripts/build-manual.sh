#!/usr/bin/env bash
# Writes the man pages and the shell completions, both made from the commands themselves, to .build/share.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/require-swift.sh
share=.build/share
mkdir -p "$share/man/man1" "$share/completions"
swift build --product packtool
tool=$(swift build --show-bin-path)/packtool
swift package --allow-writing-to-package-directory generate-manual --multi-page --output-directory "$PWD/$share/man/man1" \
    >/dev/null
for shell in bash zsh fish; do
    "$tool" --generate-completion-script "$shell" >"$share/completions/packtool.$shell"
done
echo "man pages in $share/man (man -l $share/man/man1/packtool.1), completions in $share/completions"
