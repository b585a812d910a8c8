#!/usr/bin/env bash
# Measures packtool build against zip and 7z on a tree of 300 MB in 20,000 files, made of the JavaScript and CSS of
# real web builds (PyPI wheels), and on its first 20 MB. Prints ratios; the bars of docs are in the last column.
# With REPORT=1 writes them into docs/BENCHMARKS.md.
#   scripts/bench-build.sh [TREE]        PACKTOOL names the binary, else .build/bin/packtool
set -euo pipefail
cd "$(dirname "$0")/.."
packtool=${PACKTOOL:-$PWD/.build/bin/packtool}
cache=$PWD/.cache/bench-build
tree=${1:-$cache/tree}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -d "$tree" ]; then
    mkdir -p "$cache/wheels"
    python3 -m pip download -q --no-deps --only-binary=:all: -d "$cache/wheels" gradio==6.31.0 jupyterlab==4.6.6
    python3 - "$cache/wheels" "$tree.new" <<'END'
# 20,000 files of 15 kB on average: pieces of real files, cut at line ends, each with a line of its own, so that
# no two are equal and none is a copy with a longer name.
import glob, os, random, sys, zipfile
random.seed(1)
texts = []
for wheel in sorted(glob.glob(sys.argv[1] + "/*.whl")):
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith((".js", ".css", ".html", ".json", ".svg")) and archive.getinfo(name).file_size > 200:
                texts.append((os.path.splitext(name)[1], archive.read(name)))
total, target, count = 0, 300_000_000, 20_000
for index in range(count):
    extension, text = texts[index % len(texts)]
    want = int((target - total) / (count - index) * random.uniform(0.2, 1.8))
    start = random.randrange(max(1, len(text) - want))
    body = text[start:start + want]
    while len(body) < want:
        body += random.choice(texts)[1][:want - len(body)]
    body = b"/* part %d */\n" % index + body
    path = "%s/assets/%02x/%02x/part-%d%s" % (sys.argv[2], index % 16, index // 16 % 16, index, extension)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "wb").write(body)
    total += len(body)
open(sys.argv[2] + "/index.html", "w").write("<!doctype html><title>bench</title>")
END
    mv "$tree.new" "$tree"
fi

# seconds PEAK_KB of a command: wall time and peak resident memory of the largest process.
run() {
    python3 - "$@" <<'END'
import resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print("%.2f %d" % (time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)
END
}
build() { # LEVEL OUT [FLAG...]
    run env XDG_CACHE_HOME="$work/cache" "$packtool" build "$tree" --package bench --package-version 1.0.0 \
        --compression "$1" --out "$work/$2" --quiet "${@:3}"
}
size() { stat -c %s "$1"; }

files=$(find "$tree" -type f | wc -l)
bytes=$(find "$tree" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
printf 'tree: %d files, %d bytes; %d cores\n' "$files" "$bytes" "$(nproc)"

# Everything is read once before the clock starts, and what the making of the tree wrote is on the disk.
sync
find "$tree" -type f -print0 | xargs -0 cat >/dev/null
read -r zip_time _ < <(cd "$tree" && run zip -q -9 -r "$work/zip.zip" .)
# A small build, where the start of the program and of its threads counts: the best of five.
mkdir "$work/small"
(cd "$tree" && find . -type f -printf '%s %p\n' | sort -k 2 | awk '(sum += $1) <= 20000000 { print $2 }' | xargs cp --parents -t "$work/small")
echo '<!doctype html><title>bench</title>' >"$work/small/index.html"
best() { for _ in 1 2 3 4 5; do "$@"; done | sort -n | head -1; }
zip_small() { rm -f "$work/small.zip"; (cd "$work/small" && run zip -q -9 -r "$work/small.zip" .); }
build_small() { rm -rf "$work/cache" "$work/small-out"; tree=$work/small build standard small-out; }
read -r small_zip _ < <(best zip_small)
read -r small _ < <(best build_small)
rm -rf "$work/cache"
read -r cold cold_peak < <(build standard cold)
changed=$(find "$tree" -type f -name '*.js' | sort | sed -n 1p)
cp -p "$changed" "$work/kept"
restore() { cp -p "$work/kept" "$changed"; rm -rf "$work"; }
trap restore EXIT
printf '/* changed */\n' >>"$changed"
read -r warm warm_peak < <(build standard warm)
cp -p "$work/kept" "$changed"
read -r max max_peak < <(build max max)
(cd "$tree" && read -r seven _ < <(run 7z a -bd -mx9 -mm=Deflate -tzip "$work/7z.zip" .) && echo "$seven" >"$work/7z.time")
seven=$(cat "$work/7z.time")

status=0
table=$(
    python3 - "$zip_time" "$cold" "$warm" "$max" "$seven" "$cold_peak" "$warm_peak" "$max_peak" \
        "$(size "$work/zip.zip")" "$(size "$work/cold/bench-1.0.0.zip")" "$(size "$work/max/bench-1.0.0.zip")" \
        "$(size "$work/7z.zip")" "$small_zip" "$small" <<'END'
import sys
zip_time, cold, warm, most, seven = map(float, sys.argv[1:6])
cold_peak, warm_peak, max_peak, zip_size, size, max_size, seven_size = map(int, sys.argv[6:13])
small_zip, small = map(float, sys.argv[13:])
peak = max(cold_peak, warm_peak, max_peak)
print("| | seconds | bytes | ratio | bar |\n| --- | --: | --: | --: | --: |")
print(f"| `zip -q -9 -r` | {zip_time:.2f} | {zip_size:,} | | |")
print(f"| `packtool build`, cold | {cold:.2f} | | time {cold / zip_time:.3f} of zip | ≤ 0.40 |")
print(f"| | | {size:,} | size {size / zip_size:.4f} of zip | ≤ 1.00 |")
print(f"| `packtool build`, one file changed | {warm:.2f} | | time {warm / zip_time:.3f} of zip | ≤ 0.10 |")
print(f"| 20 MB: `zip -q -9 -r` | {small_zip:.2f} | | | |")
print(f"| 20 MB: `packtool build`, cold | {small:.2f} | | time {small / small_zip:.3f} of zip | ≤ 0.40 |")
print(f"| `7z a -mx9 -mm=Deflate` | {seven:.2f} | {seven_size:,} | | |")
print(f"| `packtool build --compression max` | {most:.2f} | {max_size:,} | size {max_size / seven_size:.4f} of 7z | ≤ 1.00 |")
print(f"| peak memory of the builds | | | {peak / 1000:.0f} MB | < 250 MB |")
bars = [cold / zip_time <= 0.4, small / small_zip <= 0.4, size <= zip_size, warm / zip_time <= 0.1, max_size <= seven_size, peak < 250_000]
sys.exit(0 if all(bars) else 1)
END
) || status=$?
echo "$table"
if [ "${REPORT:-0}" = 1 ]; then echo "$table" | Benchmarks/report.py build; fi
[ "$status" = 0 ]
