#!/usr/bin/env bash
# A SeaweedFS of the tests: an S3-compatible store that checks signatures, on loopback, with one bucket and an empty disk. It is started
# again when it is killed, until the input of this script ends. When it can be used, `ready` comes into the folder.
#
#     kept_seaweedfs.sh PROGRAM FOLDER private|public PORT…
#
# `public`: everybody may read the bucket's objects. The seventh of eight ports is that of S3.
program=$1 folder=$2 access=$3
shift 3
mkdir "$folder/data"
anyone=', {"name": "anonymous", "actions": ["Read:packages"]}'
[ "$access" = public ] || anyone=
# A key with characters that every encoding of it must keep.
cat > "$folder/s3.json" <<END
{"identities": [{"name": "packtool", "actions": ["Admin", "Read", "List", "Tagging", "Write"],
  "credentials": [{"accessKey": "AKIDPACKTOOL", "secretKey": "secret/of+the=tests"}]}$anyone]}
END
run() { cd "$folder" && exec env -i PATH=/usr/bin:/bin HOME="$folder" "$@" 3<&-; }
exec 3<&0
(
    while [ -e "$folder/data" ]; do
        (run "$program" -logtostderr=true server -dir="$folder/data" -ip=127.0.0.1 -ip.bind=127.0.0.1 \
            -master.port="$1" -master.port.grpc="$2" -volume.port="$3" -volume.port.grpc="$4" \
            -filer.port="$5" -filer.port.grpc="$6" -s3 -s3.port="$7" -s3.port.grpc="$8" \
            -s3.config="$folder/s3.json" -s3.domainName=s3.localhost -s3.iam=false -s3.autoCreateBucket=false \
            -s3.port.iceberg=0 -s3.port.lance=0 -s3.localSocket="$folder/s3.sock" \
            -filer.localSocket="$folder/filer.sock" \
            -volume.max=20 -volume.minFreeSpace=0 -master.volumeSizeLimitMB=256 -master.telemetry=false) \
            < /dev/null &
        echo $! > "$folder/weed.pid"
        wait $!
        [ -e "$folder/stopping" ] && break
        sleep 0.1
    done
) &
(
    until curl -fs -o /dev/null -X POST -H "Content-Length: 0" "http://127.0.0.1:$5/buckets/packages/"; do
        [ -e "$folder/stopping" ] && exit
        sleep 0.1
    done
    # The first write waits until the server has made room for the bucket.
    until curl -fs -o /dev/null -F file=ready "http://127.0.0.1:$5/buckets/packages/ready"; do
        [ -e "$folder/stopping" ] && exit
        sleep 0.1
    done
    touch "$folder/ready"
) < /dev/null &
cat <&3 > /dev/null
touch "$folder/stopping"
number=$(cat "$folder/weed.pid" 2> /dev/null) && kill -KILL "$number" 2> /dev/null
wait
rm -rf "$folder" /tmp/seaweedfs-*-grpc-"$2".sock /tmp/seaweedfs-*-grpc-"$4".sock \
    /tmp/seaweedfs-*-grpc-"$6".sock /tmp/seaweedfs-*-grpc-"$8".sock
