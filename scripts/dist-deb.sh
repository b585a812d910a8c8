#!/usr/bin/env bash
# Part of `make dist`: the Debian packages packtool and, where its executable is there, packtool-kiosk.
# From: the staged tree $work/tree (scripts/dist-tree.sh). To: $out/*.deb
source "$(dirname "$0")/dist-environment.sh"

# What every package has: papers, checksums, a control file. Arguments: NAME, the tree, what `Depends` has besides libraries.
package() {
    local name=$1 tree=$2 depends=$3
    local papers=$tree/usr/share/doc/$name
    mkdir -p "$tree/DEBIAN" "$papers"
    sed "s/{{year}}/$(date -d "@$SOURCE_DATE_EPOCH" +%Y)/" packaging/debian/copyright >"$papers/copyright"
    printf '%s (%s) bookworm; urgency=medium\n\n  * Built from commit %s. What changed: CHANGELOG.md of the source.\n\n -- %s  %s\n' \
        "$name" "$deb_version" "$commit" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" |
        gzip -9n >"$papers/changelog.gz"

    # dpkg-shlibdeps wants a source package around it.
    local source=$work/shlibdeps
    rm -rf "$source"
    mkdir -p "$source/debian"
    printf 'Source: packtool\n\nPackage: %s\nArchitecture: %s\n' "$name" "$arch" >"$source/debian/control"
    local libraries
    libraries=$(cd "$source" && dpkg-shlibdeps -O "$tree/usr/bin/$name" 2>/dev/null | sed 's/^shlibs:Depends=//')

    local size
    size=$(du -sk --apparent-size --exclude=DEBIAN "$tree" | cut -f 1)
    sed -e "s/{{version}}/$deb_version/" -e "s/{{arch}}/$arch/" -e "s/{{size}}/$size/" -e "s/{{maintainer}}/$maintainer/" \
        -e "s/{{depends}}/$libraries$depends/" "packaging/debian/$name.control" >"$tree/DEBIAN/control"
    for script in preinst postinst prerm postrm; do
        if [ -f "packaging/debian/$name.$script" ]; then
            install -m 755 "packaging/debian/$name.$script" "$tree/DEBIAN/$script"
        fi
    done
    if [ -d "$tree/etc" ]; then
        (cd "$tree" && find etc -type f | sort | sed 's|^|/|') >"$tree/DEBIAN/conffiles"
    fi
    if [ -f "packaging/debian/$name.lintian-overrides" ]; then
        install -D -m 644 "packaging/debian/$name.lintian-overrides" "$tree/usr/share/lintian/overrides/$name"
    fi
    (cd "$tree" && find . -path ./DEBIAN -prune -o -path ./etc -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) \
        >"$tree/DEBIAN/md5sums"
    chmod -R u=rwX,go=rX "$tree"
    find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz -z6 --build "$tree" "$out/${name}_${deb_version}_$arch.deb" >/dev/null
}

# Whom `apt show` names.
maintainer=${PACKTOOL_MAINTAINER:-packtool maintainers <maintainers@packtool.example>}

# packtool: the tree as it is, its configuration, and the service.
tree=$work/deb
rm -rf "$tree"
cp -r "$work/tree" "$tree"
gzip -9n "$tree"/usr/share/man/man1/*.1
mkdir -p "$tree/lib/systemd/system"
# One hardened unit: the template's, with the package's paths and configuration.
python3 - templates/server/packtool.service "$tree/lib/systemd/system/packtool.service" <<'PYTHON'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
text = re.sub(r"\A(#.*\n)+", "# Options: /etc/packtool/serve.conf. How to start: /usr/share/doc/packtool/README.Debian.gz\n", text)
text, changed = re.subn(
    r"(?m)^ExecStart=.*$",
    "EnvironmentFile=-/etc/packtool/serve.conf\n"
    "ExecStart=/usr/bin/packtool serve --registry /var/lib/packtool/registry --json-logs $PACKTOOL_SERVE_OPTIONS", text)
text = text.replace("[Unit]\n", "[Unit]\nDocumentation=man:packtool-serve(1)\n")
assert changed == 1
open(sys.argv[2], "w", encoding="utf-8").write(text)
PYTHON
install -D -m 644 packaging/debian/serve.conf "$tree/etc/packtool/serve.conf"
mkdir -p "$tree/usr/share/doc/packtool"
gzip -9nc packaging/debian/README.Debian >"$tree/usr/share/doc/packtool/README.Debian.gz"
gzip -9nc "$out/$name.cdx.json" >"$tree/usr/share/doc/packtool/sbom.cdx.json.gz"
gzip -9nc "$work/NOTICES.txt" >"$tree/usr/share/doc/packtool/NOTICES.gz"
# Loaded when first needed, so the executable does not name them.
package packtool "$tree" ", libcurl4, libpq5, adduser, ca-certificates"

# packtool-kiosk: a browser engine comes with it, so it is a package of its own.
if [ -x "$work/packtool-kiosk" ]; then
    tree=$work/deb-kiosk
    rm -rf "$tree"
    install -D -m 755 "$work/packtool-kiosk" "$tree/usr/bin/packtool-kiosk"
    install -D -m 644 packaging/debian/packtool-kiosk.service "$tree/usr/lib/systemd/user/packtool-kiosk.service"
    install -D -m 644 packaging/debian/kiosk.conf "$tree/etc/packtool/kiosk.conf"
    scripts/make-manual.py "$work/packtool-kiosk" "$tree/usr/share/man/man1" >/dev/null
    gzip -9n "$tree"/usr/share/man/man1/*.1
    mkdir -p "$tree/usr/share/doc/packtool-kiosk"
    gzip -9nc "$out/${name/packtool_/packtool-kiosk_}.cdx.json" >"$tree/usr/share/doc/packtool-kiosk/sbom.cdx.json.gz"
    gzip -9nc "$work/NOTICES-kiosk.txt" >"$tree/usr/share/doc/packtool-kiosk/NOTICES.gz"
    package packtool-kiosk "$tree" ", libcurl4, ca-certificates"
fi
