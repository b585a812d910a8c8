#!/usr/bin/env bash
# Opening a site of 300 files in WebKitGTK: from the device, from file://, from nginx. Needs a release build
# (swift build -c release), Xvfb and nginx. An argument gives the number of rounds.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${KIOSK_BIN:-$(swift build -c release --show-bin-path)}
[ -x "$bin/packtool-kiosk" ] || { echo "bench-open: build first: swift build -c release --product packtool-kiosk --product packtool" >&2; exit 1; }
exec python3 scripts/bench-open.py "$bin" "${1:-7}"
