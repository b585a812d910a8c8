#!/usr/bin/env bash
# Writes the man pages and the shell completions, both made from the commands themselves, to .build/share.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build-release.sh
share=.build/share
mkdir -p "$share/completions"
scripts/make-manual.py .build/bin/packtool "$share/man/man1"
for shell in bash zsh fish; do
    .build/bin/packtool --generate-completion-script "$shell" >"$share/completions/packtool.$shell"
done
echo "completions for bash, zsh and fish in $share/completions"
