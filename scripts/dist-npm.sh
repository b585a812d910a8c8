#!/usr/bin/env bash
# Part of `make dist`: two npm packages. `packtool` starts the executable of its optional dependency for the platform, here
# `@packtool/linux-x64`, as esbuild does it. From: $work/portable, packaging/npm, templates/bundler, the schemas. To: $out/*.tgz
source "$(dirname "$0")/dist-environment.sh"

if ! command -v npm >/dev/null; then
    echo "error: there is no npm, which packs the npm packages; install Node.js, or leave this part out: PACKTOOL_PARTS" >&2
    exit 1
fi
case $arch in amd64) cpu=x64 ;; *) cpu=$arch ;; esac
rm -rf "$work/npm"
platform=$work/npm/linux-$cpu
main=$work/npm/packtool
mkdir -p "$platform" "$main/bin" "$main/plugins" "$main/schema"

cp -r "$work/portable/packtool-$version-linux-$arch"/{bin,lib,licenses,LICENSE,NOTICES.txt,sbom.cdx.json} "$platform/"
filled_in packaging/npm/platform.json | sed "s/{{cpu}}/$cpu/g" >"$platform/package.json"
filled_in packaging/npm/platform.md | sed "s/{{cpu}}/$cpu/g" >"$platform/README.md"

install -m 755 packaging/npm/launcher.js "$main/bin/packtool.js"
cp templates/bundler/* "$main/plugins/"
cp docs/schema/*.schema.json templates/config/packtool.schema.json "$main/schema/"
filled_in packaging/npm/main.json >"$main/package.json"
cp packaging/npm/README.md LICENSE "$main/"

chmod -R u=rwX,go=rX "$work/npm"
for folder in "$platform" "$main"; do
    (cd "$folder" && HOME=$work npm pack --silent --cache "$work/npm-cache" --pack-destination "$out" >/dev/null)
done
