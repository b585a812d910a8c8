#!/usr/bin/env bash
# packtool serve beside nginx on the same view, the same loopback, the same wrk line: an idle check (304), a small JSON, a 5 MB zip.
# Prints a table; with REPORT=1 writes it into docs/BENCHMARKS.md.
#   scripts/bench-serve.sh [SECONDS]        PACKTOOL names the binary; SOAK=1 adds ten minutes for the memory
set -euo pipefail
cd "$(dirname "$0")/.."
packtool=${PACKTOOL:-$PWD/.build/bin/packtool}
seconds=${1:-10}
work=$(mktemp -d)
servers=()
finish() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT

mkdir -p "$work/site"
echo '<!doctype html><title>bench</title>' >"$work/site/index.html"
head -c 5000000 /dev/urandom >"$work/site/media.bin"
(
    cd "$work"
    "$packtool" build site --package bench --package-version 1.0.0 --out packages --quiet >/dev/null
    "$packtool" publish packages/bench-1.0.0.zip --channel stable --quiet >/dev/null
)
view=$work/.packtool/registry/view
chmod -R a+rX "$work"
cat >"$work/nginx.conf" <<END
worker_processes 2;
pid $work/nginx.pid;
error_log $work/nginx-error.log;
daemon off;
user root;
events { worker_connections 1024; }
http {
    include /etc/nginx/mime.types;
    sendfile on;
    tcp_nopush on;
    access_log off;
    open_file_cache max=1000;
    keepalive_requests 1000000000;
    server { listen 127.0.0.1:18799; root $view; }
}
END
"$(command -v nginx || echo /usr/sbin/nginx)" -c "$work/nginx.conf" &
servers+=($!)
(cd "$work" && exec "$packtool" serve --port 18798 --quiet) >"$work/serve.log" 2>&1 &
ours=$!
servers+=("$ours")
for port in 18798 18799; do
    for _ in $(seq 100); do
        curl -sf -o /dev/null "http://127.0.0.1:$port/metadata/timestamp.json" && break
        sleep 0.1
    done
done

resident() { awk '/VmRSS/ { print $2 }' "/proc/$ours/status"; }
tag() { curl -sI "http://127.0.0.1:$1/metadata/timestamp.json" | tr -d '\r' | sed -n 's/^[Ee][Tt][Aa][Gg]: //p'; }
measure() { # PORT PATH [HEADER]: requests a second, p99 in ms, MB a second
    wrk -t1 -c32 -d"${seconds}s" --latency ${3:+-H "$3"} "http://127.0.0.1:$1$2" >"$work/wrk.txt"
    python3 - "$work/wrk.txt" <<'END'
import re, sys
text = open(sys.argv[1]).read()
unit = {"us": 0.001, "ms": 1, "s": 1000}
number, name = re.search(r"99%\s+([0-9.]+)(us|ms|s)", text).groups()
rate = re.search(r"Requests/sec:\s+([0-9.]+)", text).group(1)
amount, scale = re.search(r"Transfer/sec:\s+([0-9.]+)(KB|MB|GB)", text).groups()
print(rate, float(number) * unit[name], float(amount) * {"KB": 0.001, "MB": 1, "GB": 1000}[scale])
END
}

before=$(resident)
: >"$work/results"
# Several times, in turn: what else the machine does then meets both, and one bad moment decides nothing.
rounds=5
for round in $(seq $rounds); do
    for what in idle json zip; do
        case $what in
        idle | json) path=/metadata/timestamp.json ;;
        zip) path=/packages/bench-1.0.0.zip ;;
        esac
        for port in 18799 18798; do
            header=
            [ $what = idle ] && header="If-None-Match: $(tag $port)"
            echo "$what $port $(measure "$port" "$path" "$header")" >>"$work/results"
        done
    done
    echo "round $round of $rounds done" >&2
done
after=$(resident)
long=
if [ "${SOAK:-0}" = 1 ]; then
    wrk -t1 -c32 -d600s "http://127.0.0.1:18798/metadata/timestamp.json" >"$work/soak.txt"
    long="$(sed -n 's/^ *\([0-9]*\) requests in.*/\1/p' "$work/soak.txt") $(resident)"
fi

table=$(
    python3 - "$work/results" "$before" "$after" "$long" "$seconds" <<'END'
import statistics, sys
runs = {}
for line in open(sys.argv[1]):
    what, port, *numbers = line.split()
    runs.setdefault((what, port), []).append([float(number) for number in numbers])
best = {key: [statistics.median(column) for column in zip(*rows)] for key, rows in runs.items()}
print(f"`wrk -t1 -c32 -d{sys.argv[5]}s --latency`, medians of {len(runs['idle', '18799'])} runs in turn; nginx with 2 workers, sendfile, open_file_cache and no access log; "
      "`packtool serve --quiet`.\n")
print("| | nginx | packtool | ratio | bar |\n| --- | --: | --: | --: | --: |")
for what, name, bar in (("idle", "idle check, 304", 0.5), ("json", "small JSON", 0.5)):
    theirs, ours = best[what, "18799"], best[what, "18798"]
    print(f"| {name}: requests/s | {theirs[0]:,.0f} | {ours[0]:,.0f} | {ours[0] / theirs[0]:.2f} | ≥ {bar} |")
    print(f"| {name}: p99, ms | {theirs[1]:.2f} | {ours[1]:.2f} | {ours[1] / theirs[1]:.2f} | ≤ 2 |")
theirs, ours = best["zip", "18799"], best["zip", "18798"]
print(f"| 5 MB zip: MB/s | {theirs[2]:,.0f} | {ours[2]:,.0f} | {ours[2] / theirs[2]:.2f} | ≥ 0.8 |")
print(f"| resident memory before and after, MB | | {int(sys.argv[2]) / 1000:.0f}, {int(sys.argv[3]) / 1000:.0f} | | |")
if sys.argv[4]:
    count, resident = sys.argv[4].split()
    print(f"| after ten more minutes and {int(count):,} requests, MB | | {int(resident) / 1000:.0f} | | flat |")
END
)
echo "$table"
cat "$work/results" >&2
if [ "${REPORT:-0}" = 1 ]; then echo "$table" | Benchmarks/report.py serve; fi
