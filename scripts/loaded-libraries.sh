#!/usr/bin/env bash
# The paths of the system's libraries that an executable loads, at its start or when it first needs them, with what those load.
# Arguments: EXECUTABLE
set -euo pipefail

later=()
# What it opens by name (Sources/CCurlHandles, Sources/CPostgreSQL).
for name in libcurl.so.4 libpq.so.5; do
    grep -qaF "$name" "$1" || continue
    path=$(/sbin/ldconfig -p | awk -v name="$name" '$1 == name && !found++ { print $NF }')
    if [ -z "$path" ]; then
        echo "error: $1 opens $name, which is not on this machine" >&2
        exit 1
    fi
    later+=("$path")
done
{
    printf '%s\n' "${later[@]}"
    for file in "$1" "${later[@]}"; do ldd "$file" | sed -nE 's/^(.*=> |\s*)(\/[^ ]+) \(0x.*/\2/p'; done
} | sed '/^$/d' | sort -u
