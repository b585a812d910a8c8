#!/usr/bin/env bash
# A registry, a package and a kiosk on this machine, in a folder that is removed afterwards. Needs a display.
set -euo pipefail
cd "$(dirname "$0")/../.."
swift build --product packtool --product packtool-kiosk
bin=$(swift build --show-bin-path)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$bin/packtool" init --template config
mkdir site
echo '<!doctype html><title>Kiosk</title><h1>Hello from the device</h1>' >site/index.html
"$bin/packtool" build site --package shop --package-version 1.0.0 --out packages
"$bin/packtool" publish packages/shop-1.0.0.zip --channel stable
"$bin/packtool-kiosk" --store store --registry .packtool/registry --root .packtool/root.json --package shop "$@"
