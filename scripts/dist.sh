#!/usr/bin/env bash
# Makes what is handed out, in .build/dist: Debian packages, a portable .tar.zst, an OCI image, npm packages, a Homebrew formula, a
# Containerfile, a bill of materials, checksums, and their signature if PACKTOOL_SIGNING_KEY names a minisign key.
# The same commit gives the same bytes: docs/RELEASING.md. Environment:
#   PACKTOOL_SIGNING_KEY  the secret key's file, without a password; PACKTOOL_DOWNLOADS  where the files will be, a URL
#   PACKTOOL_PARTS        only some of: deb portable npm image homebrew (all of them by default)
#   PACKTOOL_DIST         another folder below the project (.build/dist); PACKTOOL_DIST_DIRTY=1 takes a tree with changes
source "$(dirname "$0")/dist-environment.sh"

parts=${PACKTOOL_PARTS:-deb portable npm image homebrew}
started=$SECONDS
step() { printf '== %s (%d s)\n' "$1" $((SECONDS - started)); }

if [ -n "$(git status --porcelain --untracked-files=no)" ] && [ -z "${PACKTOOL_DIST_DIRTY:-}" ]; then
    echo "error: the tree has changes that no commit has; commit them, or try with PACKTOOL_DIST_DIRTY=1" >&2
    exit 1
fi
rm -rf "$out"
mkdir -p "$out" "$work"

step "executables of $commit, version $version"
# The versions of packages are part of the commit.
scripts/dist-versions.py --pin
products=(packtool)
[ -n "${PACKTOOL_WITHOUT_KIOSK:-}" ] || products+=(packtool-kiosk)
# The length of the folder's path gets into the code (decision 27), so it is built where the folder has one name for everybody, which only
# this step sees.
export PACKTOOL_REPRODUCIBLE=1
# SwiftPM locks a build in the folder for temporary files, by the build's path, which is everybody's here.
mkdir -p .build/tmp
# shellcheck disable=SC2016 # bash in the namespace expands it.
unshare --map-root-user --mount bash -c '
    mount --bind "$PWD" /mnt && cd /mnt && TMPDIR=/mnt/.build/tmp exec scripts/build-release.sh "$@"' build "${products[@]}"
rm -rf .build/tmp
scripts/dist-versions.py --check
rm -f "$work"/packtool "$work"/packtool-kiosk
for product in "${products[@]}"; do cp ".build/bin/$product" "$work/$product"; done

step "bill of materials, licences, man pages, completions"
scripts/dist-sbom.py executable --version "$version" --commit "$commit" --build .build/reproducible "$work/packtool" \
    >"$out/$name.cdx.json"
scripts/dist-notices.py .build/reproducible "$out/$name.cdx.json" >"$work/NOTICES.txt"
if [ -x "$work/packtool-kiosk" ]; then
    scripts/dist-sbom.py executable --version "$version" --commit "$commit" --build .build/reproducible "$work/packtool-kiosk" \
        >"$out/${name/packtool_/packtool-kiosk_}.cdx.json"
    scripts/dist-notices.py .build/reproducible "$out/${name/packtool_/packtool-kiosk_}.cdx.json" >"$work/NOTICES-kiosk.txt"
fi
scripts/dist-tree.sh
case " $parts " in *" deb "* | *" image "*)
    step "Debian packages"
    scripts/dist-deb.sh
    ;;
esac
case " $parts " in *" portable "* | *" npm "*)
    step "portable folder"
    scripts/dist-portable.sh
    ;;
esac
for part in npm image homebrew; do
    case " $parts " in *" $part "*)
        step "$part"
        "scripts/dist-$part.sh"
        ;;
    esac
done

step "checksums"
cp packaging/image/Containerfile "$out/"
(cd "$out" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
if [ -n "${PACKTOOL_SIGNING_KEY:-}" ]; then
    scripts/dist-sign.sh "$PACKTOOL_SIGNING_KEY" "$out/SHA256SUMS"
else
    echo "not signed: PACKTOOL_SIGNING_KEY names no key (docs/RELEASING.md)"
fi
find "$out" -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
(cd "$out" && ls -l)
step "done: $PACKTOOL_DIST"
