#!/usr/bin/env bash
# Boots a root's own systemd, with processes, network and cgroups of its own, until it is killed: dist-boot.sh ROOT PIDFILE. The file gets
# the id of the root's first process, for nsenter. Needs root; no network but loopback is there.
set -euo pipefail

if [ "${1:-}" != within ]; then
    root=$1 pidfile=$2
    hierarchy=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
    [ -n "$hierarchy" ] || { echo "error: this machine has no cgroup2 hierarchy, which systemd needs" >&2; exit 1; }
    group=$hierarchy/packtool-dist-$$
    mkdir "$group"
    echo "$BASHPID" >"$group/cgroup.procs"
    unshare --mount --pid --fork --kill-child --uts --ipc --net --cgroup "$0" within "$root" &
    namespace=$!
    # shellcheck disable=SC2317 # The trap calls it.
    leave() {
        kill -KILL "$namespace" 2>/dev/null || true
        wait "$namespace" 2>/dev/null || true
        echo "$BASHPID" >"$hierarchy/cgroup.procs"
        # Its processes end a moment after their first.
        for _ in $(seq 50); do
            find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
            if [ ! -d "$group" ]; then break; fi
            sleep 0.1
        done
    }
    trap leave EXIT
    trap 'exit 0' TERM
    until pgrep -P "$namespace" >"$pidfile.new"; do sleep 0.05; done
    mv "$pidfile.new" "$pidfile"
    wait "$namespace"
    exit
fi

root=$2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
# Devices as a container has them.
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mkdir -p "$root/old"
cd "$root"
pivot_root . old
umount --lazy /old
exec env -i container=packtool PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=multi-user.target
