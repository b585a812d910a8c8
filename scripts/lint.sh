#!/usr/bin/env bash
# Form and borders: swift-format, the house rules for Sources, import rules, file lengths, scripts, templates.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/require-swift.sh

roots=(Sources Tests Package.swift)
for extra in Benchmarks Examples; do
    if [ -n "$(git ls-files "$extra/*.swift" 2>/dev/null)" ]; then roots+=("$extra"); fi
done

swift format lint --strict -r -p "${roots[@]}"
# In Sources, input never traps: no forced unwrapping, no forced try. Tests may.
swift format lint --strict -r -p Sources --configuration "$(
    python3 -c 'import json
rules = json.load(open(".swift-format"))
rules["rules"] |= {"NeverForceUnwrap": True, "NeverUseForceTry": True}
print(json.dumps(rules))'
)"
scripts/check-sources.py
scripts/embed-templates.py --check
if command -v shellcheck >/dev/null; then
    shellcheck scripts/*.sh .ci/run
else
    echo "lint: shellcheck is not installed, the scripts were not checked" >&2
fi
echo "lint: clean"
