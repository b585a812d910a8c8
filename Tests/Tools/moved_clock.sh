#!/usr/bin/env bash
# Runs a program with another clock: moved_clock.sh SECONDS PROGRAM ARGUMENT…
set -eu
seconds=$1 library=${TMPDIR:-/tmp}/packtool-moved-clock-$(id -u).so
shift
source=$(dirname "$0")/moved_clock.c
if [ ! "$library" -nt "$source" ]; then
    cc -Wall -Werror -O1 -shared -fPIC -o "$library.$$" "$source"
    mv "$library.$$" "$library"
fi
export LD_PRELOAD="$library" MOVED_CLOCK="$seconds"
exec "$@"
