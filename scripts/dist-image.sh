#!/usr/bin/env bash
# shellcheck disable=SC2016 # mmdebstrap expands what its hooks say.
# Part of `make dist`: an OCI image: Debian's essential packages and packtool's .deb. Runs as a user without rights, on a root that
# may be read-only, with one volume. Needs no container engine. To: $out/*.oci.tar and the bill of materials of the image.
source "$(dirname "$0")/dist-environment.sh"

# A copy below /tmp, since the folders of its path would stay in the image.
staged=$(mktemp -d /tmp/packtool-image.XXXXXX)
trap 'rm -rf "$staged"' EXIT
chmod 755 "$staged"
install -m 644 "$out/packtool_${deb_version}_$arch.deb" "$staged/packtool.deb"
image=$work/image
rm -rf "$image" "$work/image.tar" "$work/status"
mkdir -p "$work"

# What a registry or a build never reads: documents, man pages, translations, and what apt and dpkg remember of their own work.
scripts/dist-root.sh essential "$work/image.tar" \
    --include="$staged/packtool.deb" --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-include=/usr/share/doc/packtool/NOTICES.gz' \
    --customize-hook='chroot "$1" sh -c "usermod --uid 10001 packtool && groupmod --gid 10001 packtool"' \
    --customize-hook="rm -rf \"\$1$staged\"" \
    --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/* "$1"/var/log/* "$1"/etc/apt/sources.list.d/* "$1/etc/apt/sources.list"' \
    --customize-hook='chown -R 10001:10001 "$1/var/lib/packtool"'
tar -xOf "$work/image.tar" ./var/lib/dpkg/status >"$work/status"
scripts/dist-sbom.py image --version "$version" --commit "$commit" --status "$work/status" "$out/$name.cdx.json" \
    >"$out/${name}_image.cdx.json"

date=$(date -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
# The name that `podman load` gives the image is this tag: localhost/packtool:VERSION.
tag=$image:packtool:$version
umoci init --layout "$image"
umoci new --image "$tag"
umoci raw add-layer --image "$tag" --history.created "$date" --history.created_by "Debian 12 and packtool $version" \
    "$work/image.tar"
umoci config --image "$tag" --no-history --created "$date" --architecture "$arch" --os linux \
    --config.user 10001:10001 --config.workingdir /var/lib/packtool --config.volume /var/lib/packtool \
    --config.entrypoint /usr/bin/packtool \
    --config.cmd serve --config.cmd --registry --config.cmd /var/lib/packtool/registry \
    --config.cmd --host --config.cmd 0.0.0.0 --config.cmd --port --config.cmd 8787 --config.cmd --json-logs \
    --config.exposedports 8787/tcp --config.stopsignal SIGTERM --config.env HOME=/var/lib/packtool \
    --config.label "org.opencontainers.image.title=packtool" --config.label "org.opencontainers.image.version=$version" \
    --config.label "org.opencontainers.image.revision=$commit" --config.label "org.opencontainers.image.created=$date" \
    --config.label "org.opencontainers.image.licenses=Apache-2.0"
umoci gc --layout "$image"
chmod -R u=rwX,go=rX "$image"
packed "$image" . >"$out/$name.oci.tar"
