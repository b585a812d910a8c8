#!/usr/bin/env bash
# Lays out the sites of the demo: demo-sites.sh OUT writes OUT/{v1,v2,v3}/{FIRST,SECOND}/{package.json,dist/}.
# They are two consecutive versions of a production web build from PyPI (chainlit: its chat page and its copilot widget), and
# a third in which the first script throws. Where PyPI cannot be reached, or with DEMO_SITES=examples: Examples/ferry-apps.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1
cache=.cache/wheels
old=2.11.1
new=2.12.0

from_examples() {
    echo "${1}: using the apps of Examples/ferry-apps"
    Examples/ferry-apps/make-versions.py "$out/made"
    mv "$out/made/1.0.0" "$out/v1"
    mv "$out/made/1.1.0" "$out/v2"
    mv "$out/made/1.2.0" "$out/v3"
    rmdir "$out/made"
}

# The part of a wheel that is a web build, as its own project would have it.
from_wheel() { # version, folder
    python3 - "$cache/chainlit-$1-py3-none-any.whl" "$1" "$2" <<'PYTHON'
import json, pathlib, sys, zipfile

wheel, version, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
roots = {"chainlit/frontend/dist/": "chat", "chainlit/copilot/dist/": "copilot"}
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        for root, package in roots.items():
            if name.startswith(root) and not name.endswith("/"):
                file = out / package / "dist" / name.removeprefix(root)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(archive.read(name))
for package in roots.values():
    (out / package / "package.json").write_text(json.dumps({"name": package, "version": version}) + "\n")
# The widget comes without a page of its own: this is how its documentation embeds it.
(out / "copilot/dist/index.html").write_text(
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Copilot</title></head><body>'
    '<script src="index.js"></script>'
    '<script>mountChainlitWidget({ chainlitServer: location.origin });</script></body></html>\n')
PYTHON
}

rm -rf "$out"
mkdir -p "$out" "$cache"
if [ "${DEMO_SITES:-}" = examples ]; then
    from_examples "as asked"
    exit 0
fi
for version in "$old" "$new"; do
    [ -s "$cache/chainlit-$version-py3-none-any.whl" ] && continue
    if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --timeout 20 --retries 1 \
        --dest "$cache" "chainlit==$version" >"$cache/pip.log" 2>&1; then
        from_examples "PyPI cannot be reached ($(tail -1 "$cache/pip.log" | cut -c 1-80))"
        exit 0
    fi
done
echo "chainlit $old and $new from PyPI: a production web build of two apps (chat, copilot)"
from_wheel "$old" "$out/v1"
from_wheel "$new" "$out/v2"
# The accident: somebody ships a bundle whose first statement throws.
cp -r "$out/v2" "$out/v3"
sed -i "s/$new/2.12.1/" "$out"/v3/*/package.json
broken=$(find "$out/v3/chat/dist/assets" -name 'index-*.js' | head -1)
printf 'throw new Error("ready is not a function");\n%s' "$(cat "$broken")" >"$broken.new"
mv "$broken.new" "$broken"
