#!/usr/bin/env bash
# Fails with a plain sentence where Swift is missing or too old.
set -euo pipefail

if ! command -v swift >/dev/null; then
    echo "error: there is no Swift. Install 6.2 or later: https://www.swift.org/install/linux/" >&2
    exit 1
fi
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -1)
if [ "$(printf '%s\n' 6.2 "$version" | sort -V | head -1)" != 6.2 ]; then
    echo "error: Swift $version is too old: 6.2 or later is needed: https://www.swift.org/install/linux/" >&2
    exit 1
fi
