#!/usr/bin/env bash
# Installs what is missing of scripts/system-packages.txt (or of the list given) with apt-get, and says what it does.
# Works as root or through sudo; does nothing where everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t wanted < "${1:-scripts/system-packages.txt}"

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "system packages: this is no Debian; please see to these yourself:" >&2
    printf '  %s\n' "${wanted[@]}" >&2
    exit 0
fi

missing=()
for name in "${wanted[@]}"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$name")
done

if [ "${#missing[@]}" -eq 0 ]; then
    echo "system packages: all ${#wanted[@]} are installed"
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "system packages: ${missing[*]} are missing, and there is neither root nor sudo. As root, run:" >&2
        echo "  apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "system packages: installing ${missing[*]}"
# One broken third-party source must not stop the build: what counts is whether the packages can be installed.
"${as_root[@]}" apt-get update -qq || echo "system packages: apt-get update reported errors, going on" >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
echo "system packages: installed ${#missing[@]} of ${#wanted[@]}"
