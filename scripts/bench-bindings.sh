#!/usr/bin/env bash
# A request for a file of 100 KB by the C interface, by a JVM and by Node, beside Swift's own resolver, in one run: from the request to the
# last byte. Fails where the JVM's median is more than twice Swift's. REPORT=1 writes the table into docs/BENCHMARKS.md. Needs
# scripts/build-release.sh and scripts/build-libpackhost.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
count=${COUNT:-20000}
library=$PWD/.build/lib
swift build -c release --static-swift-stdlib --package-path Benchmarks --product resolver >&2
scripts/build-bindings.sh >&2

folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait; rm -rf "$folder"' EXIT
programs=$PWD/Tests/PackHostCTests/Programs
bindings=$PWD/.build/bindings
mkdir -p "$folder"/{project/dist,files,classes}
javac -encoding UTF-8 -cp "$bindings/java/packhost.jar" -d "$folder/classes" "$programs"/java/{Check,Resolving}.java
cc -std=c11 -D_GNU_SOURCE -O2 "$programs/resolving.c" -o "$folder/resolving" -I Sources/CPackHost -I "$programs" -L "$library" \
    -lpackhost -Wl,-rpath,"$library"

# As many files as Swift's resolver has, so that the processor's caches have as little of them.
for ((number = 0; number < 300; number++)); do head -c 100000 /dev/urandom >"$folder/project/dist/file-$number.bin"; done
. scripts/serve-package.sh
serve_package "$folder"
arguments=("$url" "$folder/project/.packtool/root.json" "$count" 300)

java=(java -Xmx64m "-Dpacktool.host.library=$bindings/java/libpackhost_jni.so" -cp "$bindings/java/packhost.jar:$folder/classes" Resolving)
# In turn, so that what else the machine does meets all of them; the best round of three counts.
for round in 1 2 3; do
    Benchmarks/.build/release/resolver "$folder/files" | grep 'decided, opened, read' | cut -f 2,3 | sed 's/^/Swift\t/'
    "$folder/resolving" "$folder/c-$round" "${arguments[@]}" | tr ' ' '\t' | sed 's/^/C\t/'
    "${java[@]}" "$folder/java-$round" "${arguments[@]}" | tr ' ' '\t' | sed 's/^/JVM\t/'
    PACKHOST_NODE=$bindings/node node "$programs/node/resolving.mjs" "$folder/node-$round" "${arguments[@]}" |
        tr ' ' '\t' | sed 's/^/Node, a promise each\t/'
done >"$folder/times"

table=$(
    python3 - "$folder/times" <<'END'
import sys
best = {}
for line in open(sys.argv[1]):
    name, median, tail = line.rstrip("\n").split("\t")
    best[name] = min(best.get(name, (1e9, 1e9)), (float(median), float(tail)))
print("A request for a file of 100 KB out of 300, warm, from the request to the last byte. µs; the bar for the JVM is twice Swift's p50.\n")
print("| | p50 | p99 | of Swift's p50 |\n| --- | --: | --: | --: |")
for name, (median, tail) in best.items():
    print(f"| {'**JVM**' if name == 'JVM' else name} | {median} | {tail} | {median / best['Swift'][0]:.2f} |")
END
)
echo "$table"
if [ "${REPORT:-0}" = 1 ]; then echo "$table" | Benchmarks/report.py bindings; fi
echo "$table" | grep -F '**JVM**' | awk -F '|' '$5 > 2 { exit 1 }' || { echo "bench-bindings: the bar is missed" >&2; exit 1; }
