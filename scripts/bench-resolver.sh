#!/usr/bin/env bash
# The device's answer to a request for a file of 100 KB, beside read(2) and nginx, in one run.
set -euo pipefail
cd "$(dirname "$0")/.."
cp Package.resolved Benchmarks/Resolver/Package.resolved
export PACKTOOL_WITHOUT_KIOSK=1
swift build -c release --package-path Benchmarks/Resolver --scratch-path .build/benchmark-resolver --product resolver
folder=$(mktemp -d)
port=18990
cat >"$folder/nginx.conf" <<CONF
worker_processes 1; pid $folder/nginx.pid; error_log $folder/error.log; daemon off; user root;
events { worker_connections 64; }
http { access_log off; sendfile on; keepalive_requests 1000000; client_body_temp_path $folder/body;
  proxy_temp_path $folder/p; fastcgi_temp_path $folder/f; uwsgi_temp_path $folder/u; scgi_temp_path $folder/s;
  server { listen 127.0.0.1:$port; root $folder/files; default_type application/octet-stream; } }
CONF
mkdir "$folder/files"
chmod 755 "$folder" "$folder/files"
nginx -c "$folder/nginx.conf" -p "$folder" 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf "$folder"' EXIT
sleep 0.5
.build/benchmark-resolver/release/resolver "$folder/files" "$port"
