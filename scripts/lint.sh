#!/usr/bin/env bash
# Form and borders: swift-format, the house rules for Sources, import rules, the manifest for iOS, file lengths, scripts, templates.
# Every check runs, so that one run shows all there is.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
scripts/require-swift.sh || exit 1

faults=0
check() { "$@" || faults=$((faults + 1)); }

# Each script that a script, the Makefile or CI names is there.
named_scripts() {
    local name missing=0
    while read -r name; do
        [ -x "$name" ] || { echo "lint: $name is named, but is not there, or cannot be run" >&2; missing=1; }
    done < <(grep -ohE 'scripts/[A-Za-z0-9_-]+\.(sh|py)' scripts/*.sh Makefile .ci/run | sort -u)
    return "$missing"
}

# libpq is loaded when it is needed: a function that is called and not forwarded would make it a part of each start.
forwarded_functions() {
    local differences
    differences=$(diff <(grep -rohE '\bPQ[a-z]\w+' Sources/PackRegistryPostgres | sort -u) \
        <(sed -nE 's/^ *DO\(.*[ *](PQ[a-z]\w+),.*/\1/p' Sources/CPostgreSQL/forwards.c | sort -u)) && return
    echo "lint: PackRegistryPostgres calls (<) what Sources/CPostgreSQL/forwards.c does not forward, or it forwards (>) what nobody calls:" >&2
    grep '^[<>]' <<<"$differences" >&2
    return 1
}

# What the demo needs is a part of what all needs.
demo_packages() {
    local others
    others=$(comm -23 scripts/demo-packages.txt scripts/system-packages.txt)
    [ -z "$others" ] || { echo "lint: scripts/demo-packages.txt names what scripts/system-packages.txt does not:" "$others" >&2; return 1; }
}

roots=(Sources Tests Package.swift)
for extra in Benchmarks Examples; do
    if [ -n "$(git ls-files "$extra/*.swift" 2>/dev/null)" ]; then roots+=("$extra"); fi
done

check swift format lint --strict -r -p "${roots[@]}"
# In Sources, input never traps: no forced unwrapping, no forced try. Tests may.
check swift format lint --strict -r -p Sources --configuration "$(
    python3 -c 'import json
rules = json.load(open(".swift-format"))
rules["rules"] = dict.fromkeys(rules["rules"], False) | {"NeverForceUnwrap": True, "NeverUseForceTry": True}
print(json.dumps(rules))'
)"
check named_scripts
check forwarded_functions
check scripts/check-sources.py
check scripts/check-coverage.py
check scripts/check-manifest.py
check scripts/embed-templates.py --check
check scripts/embed-hook.py --check
check scripts/make-configuration-reference.py --check
check sort --check scripts/system-packages.txt
check sort --check scripts/demo-packages.txt
check demo_packages
check sort --check scripts/bench-packages.txt
check sort --check scripts/dist-packages.txt
if command -v shellcheck >/dev/null; then
    check shellcheck -x -P SCRIPTDIR scripts/*.sh .ci/run Tests/Tools/*.sh Tests/Tools/on-storage/packtool
    check shellcheck --shell sh templates/signers/*.sh
else
    echo "lint: shellcheck is not installed (scripts/install-system-packages.sh installs it)" >&2
    faults=$((faults + 1))
fi

if [ "$faults" -gt 0 ]; then
    echo "lint: $faults checks found faults (make format mends the form)" >&2
    exit 1
fi
echo "lint: clean"
