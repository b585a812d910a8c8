#!/usr/bin/env bash
# Part of `make dist`: packtool for any Linux with glibc 2.35 or later: a folder that can be put anywhere, packed as .tar.zst.
# The libraries that it loads, all but the C library, are beside it. From: $work/tree. To: $out/*.tar.zst; $work/portable stays.
source "$(dirname "$0")/dist-environment.sh"

folder=packtool-$version-linux-$arch
portable=$work/portable/$folder
rm -rf "$work/portable"
mkdir -p "$portable/bin" "$portable/lib" "$portable/licenses"
cp "$work/tree/usr/bin/packtool" "$portable/bin/"
cp -r "$work/tree/usr/share" "$portable/share"

# The C library is the machine's: it belongs to the kernel, the name services and the loader there.
scripts/loaded-libraries.sh "$portable/bin/packtool" |
    grep -vE '/(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil)\.so' >"$work/libraries"
while read -r library; do
    file=$(readlink -f "$library")
    install -m 644 "$file" "$portable/lib/$(basename "$library")"
    # Where /lib is a link to /usr/lib, dpkg knows a file by the path of its package.
    owner=$({ dpkg -S "$file" "${file#/usr}" 2>/dev/null || true; } | head -1 | cut -d : -f 1)
    install -m 644 "/usr/share/doc/$owner/copyright" "$portable/licenses/$owner"
done <"$work/libraries"
# DT_RPATH, not DT_RUNPATH: what a library loads in its turn is looked for here too.
# shellcheck disable=SC2016
patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$portable/bin/packtool"

cp LICENSE "$work/NOTICES.txt" "$portable/"
cp "$out/$name.cdx.json" "$portable/sbom.cdx.json"
filled_in packaging/portable/README.md >"$portable/README.md"
chmod -R u=rwX,go=rX "$portable"
packed "$work/portable" "$folder" | zstd -q -15 -T2 --no-check -o "$out/$name.tar.zst" --force
