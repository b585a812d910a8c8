#!/usr/bin/env bash
# A PostgreSQL server of the tests: a new data folder, loopback only, an unprivileged user. The user `packtool` has all rights and needs no
# password; `locked` is one whose password is `open-sesame`. It is started again when it is killed, until the input of this script ends.
# When it can be used, `ready` comes into the folder.
#
#     kept_postgres.sh PROGRAMS FOLDER PORT
programs=$1 folder=$2 port=$3
as=()
if [ "$(id -u)" = 0 ]; then
    chown postgres "$folder"
    as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi
run() { cd "$folder" && exec env -i PATH=/usr/bin:/bin LC_ALL=C "${as[@]}" "$@" 3<&-; }
(run "$programs/initdb" -D "$folder/data" -U packtool -A trust -E UTF8 --no-locale --no-sync) || exit 1
(run sed -i '1i host all locked 127.0.0.1/32 scram-sha-256' "$folder/data/pg_hba.conf") || exit 1
exec 3<&0
(
    until "$programs/psql" -X -q -h 127.0.0.1 -p "$port" -U packtool -d postgres -v ON_ERROR_STOP=1 \
        -c "CREATE ROLE locked LOGIN SUPERUSER PASSWORD 'open-sesame'" 3<&-; do
        [ -e "$folder/stopping" ] && exit
        sleep 0.05
    done
    touch "$folder/ready"
) < /dev/null 2> /dev/null &
(
    while [ -e "$folder/data" ]; do
        # Killed workers hold the memory of the killed server for a moment.
        (run "$programs/postgres" -D "$folder/data" -p "$port" -h 127.0.0.1 -k "$folder" -F \
            -c max_connections=400 -c shared_buffers=32MB) < /dev/null
        [ -e "$folder/stopping" ] && break
        sleep 0.1
    done
) &
cat <&3 > /dev/null
touch "$folder/stopping"
number=$(head -1 "$folder/data/postmaster.pid" 2> /dev/null) && kill -QUIT "$number" 2> /dev/null
wait
rm -rf "$folder"
