#!/usr/bin/env bash
# The device's answer to a request for a file of 100 KB, beside read(2) and nginx, in one run. Fails where a bar is missed;
# REPORT=1 writes the table into docs/BENCHMARKS.md.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build -c release --static-swift-stdlib --package-path Benchmarks --product resolver >&2
folder=$(mktemp -d)
port=18990
cat >"$folder/nginx.conf" <<CONF
worker_processes 1; pid $folder/nginx.pid; error_log $folder/error.log; daemon off; user root;
events { worker_connections 64; }
http { access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; open_file_cache max=1000; keepalive_requests 1000000;
  client_body_temp_path $folder/body; proxy_temp_path $folder/p; fastcgi_temp_path $folder/f; uwsgi_temp_path $folder/u;
  scgi_temp_path $folder/s;
  server { listen 127.0.0.1:$port; root $folder/files; default_type application/octet-stream; } }
CONF
mkdir "$folder/files"
chmod 755 "$folder" "$folder/files"
nginx -c "$folder/nginx.conf" -p "$folder" 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf "$folder"' EXIT
sleep 0.5
Benchmarks/.build/release/resolver "$folder/files" "$port" >"$folder/times"
table=$(
    python3 - "$folder/times" <<'END'
import sys
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])]
print("A file of 100 KB out of 300, warm; 20,000 times each, in turn. µs; the bar is p50 < 50, p99 < 500.\n")
print("| | p50 | p99 |\n| --- | --: | --: |")
for name, median, tail in rows:
    print(f"| {'**' + name + '**' if name == 'decided, opened, read' else name} | {median} | {tail} |")
END
)
echo "$table"
if [ "${REPORT:-0}" = 1 ]; then echo "$table" | Benchmarks/report.py resolver; fi
awk -F '\t' '$1 == "decided, opened, read" && ($2 >= 50 || $3 >= 500) { exit 1 }' "$folder/times" ||
    { echo "bench-resolver: the bar is missed" >&2; exit 1; }
