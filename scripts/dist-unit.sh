#!/usr/bin/env bash
# packtool.service in a system that was booted by systemd and has the .deb: started as README.Debian says, published to, upgraded, stopped.
# What restricts the service is looked at in the process, and tried by another program in its place (dist-unit-probe.pl).
set -euo pipefail
fail() {
    echo "error: $*" >&2
    journalctl --no-pager --lines 30 --unit packtool --unit packtool-probe >&2
    exit 1
}
answers() {
    for _ in $(seq 200); do
        if (exec 3<>/dev/tcp/127.0.0.1/8787) 2>/dev/null; then return; fi
        sleep 0.1
    done
    fail "the service does not answer"
}
of_service() { systemctl show --property "$1" --value packtool; }

# The commands of README.Debian, as they are written there. The last prints a token.
mkdir /tmp/try && cd /tmp/try
zcat /usr/share/doc/packtool/README.Debian.gz | sed -n 's/^    //p' >lines
for line in 'packtool init shop' 'systemctl enable --now packtool'; do
    grep -qF "$line" lines || fail "README.Debian does not say $line"
done
bash -eu lines >said 2>&1 || { cat said >&2; fail "README.Debian's commands fail"; }
token=$(grep -o 'ptk_[A-Za-z0-9_-]*' said | head -1)
[ -n "$token" ] || fail "README.Debian's commands made no token"
cd shop
rm -r .packtool/registry

# A device has 1.0.0; 1.0.1 is published to the service, which makes the patch.
export PACKTOOL_REGISTRY=http://127.0.0.1:8787
answers
packtool client update --store /tmp/device --channel beta --root .packtool/root.json >/dev/null
sed -i 's/"version": "1.0.0"/"version": "1.0.1"/' packtool.json
echo '<p>Changed.</p>' >>dist/index.html
packtool build --quiet
PACKTOOL_TOKEN=$token packtool publish --channel beta
patches() { find /var/lib/packtool/registry/view/patches -user packtool -name '*.zst' ! -name full.zst ! -name '*.manifest.zst'; }
for _ in $(seq 300); do
    if [ -n "$(patches)" ]; then break; fi
    sleep 0.1
done
[ -n "$(patches)" ] || fail "the service made no patch"
packtool client update --store /tmp/device --channel beta | grep -q '1.0.1 is active (patch' || fail "the device got no patch"

# What restricts the process that did this.
pid=$(of_service MainPID)
field() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$pid/status"; }
[ "$(field Seccomp)" = 2 ] || fail "no system call filter"
[ "$(field NoNewPrivs)" = 1 ] || fail "new privileges"
for kind in Inh Prm Eff Bnd Amb; do [ "$(field "Cap$kind")" = 0000000000000000 ] || fail "Cap$kind is $(field "Cap$kind")"; done
[ "$(field Uid | cut -f 1)" = "$(id -u packtool)" ] || fail "another user"
for kind in user mnt uts; do
    [ "$(readlink "/proc/$pid/ns/$kind")" != "$(readlink "/proc/1/ns/$kind")" ] || fail "the $kind namespace is the system's"
done

# The same unit with a program that tries what is forbidden.
install -d -m 777 /opt/anyone /home/somebody /root/somebody
touch /tmp/of-others /dev/of-others
sed -e 's|^ExecStart=.*|ExecStart=/usr/bin/perl /files/dist-unit-probe.pl|' -e '/^EnvironmentFile=/d' -e '/^Restart/d' \
    -e 's/^\[Service\]$/&\nType=oneshot/' /lib/systemd/system/packtool.service >/run/systemd/system/packtool-probe.service
systemctl daemon-reload
systemctl start packtool-probe || fail "a restriction is not in force"
journalctl --no-pager --output cat --unit packtool-probe | grep '^refused'

# An upgrade starts the service anew; stopping lets it end by itself; removing stops it.
dpkg -i /files/packtool_*.deb >/dev/null 2>&1
if [ "$(of_service ActiveState)" != active ] || [ "$(of_service MainPID)" = "$pid" ]; then
    fail "the upgrade did not restart the service"
fi
answers
systemctl stop packtool
[ "$(of_service Result) $(of_service ExecMainCode) $(of_service ExecMainStatus)" = "success 1 0" ] ||
    fail "it did not end by itself: $(of_service Result) $(of_service ExecMainCode) $(of_service ExecMainStatus)"
systemctl start packtool
answers
apt-get remove -y -qq packtool >/dev/null 2>&1
[ "$(of_service ActiveState)" != active ] || fail "the service runs after the package is removed"
