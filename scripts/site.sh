#!/usr/bin/env bash
# Builds the documentation site from README.md, docs/ and CHANGELOG.md into .build/site, with mkdocs-material from PyPI in an
# environment of its own, and the reference of the app libraries by DocC. It fails on a link that leads nowhere, an anchor that is not
# there, a request to another host, a page that a real Chromium cannot read in light or dark, and a search without a result. To look at
# it: python3 -m http.server --directory .build/site
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$PWD/.cache/site-venv
wanted="mkdocs-material==9.6.20 mkdocs==1.6.1"
if [ "$(cat "$venv/wanted" 2>/dev/null || true)" != "$wanted" ]; then
    rm -rf "$venv"
    mkdir -p .cache
    echo "site: installing $wanted"
    python3 -m venv "$venv"
    # shellcheck disable=SC2086
    "$venv/bin/pip" install --quiet --disable-pip-version-check $wanted
    echo "$wanted" >"$venv/wanted"
fi

pages=.build/site-pages
rm -rf "$pages" .build/site
scripts/site-pages.py "$pages"
# The theme's plugins and fonts that ask other hosts are off in mkdocs.yml.
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict --quiet --config-file docs/site/mkdocs.yml
scripts/site-api.sh .build/site/api
scripts/site-check.py .build/site
scripts/site-browse.py .build/site
echo "site: $(find .build/site -name '*.html' | wc -l) pages in .build/site"
