#!/usr/bin/env bash
# Makes the folder with a minimal Debian 13 (trixie) whose ssh clients, server and audit tool the tests run by `chroot`:
#   packages/testkit/trixie.sh [folder]      default: $TESTKIT_TRIXIE, else /var/cache/bowline/trixie
# Needs root, debootstrap and a Debian mirror ($DEBIAN_MIRROR, else this machine's); about a minute and 400 MB. Does
# nothing when the folder is complete: a stamp in it holds the checksum of this script, so that a changed list makes it
# anew. A half-made one is never found under its final name.
set -euo pipefail

folder=${1:-${TESTKIT_TRIXIE:-/var/cache/bowline/trixie}}
# Where this machine's own packages come from. (No pipe that could end early: pipefail.)
mirrors=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | grep -v security || true)
mirror=${DEBIAN_MIRROR:-${mirrors%%$'\n'*}}
# python3-cffi-backend: paramiko's and asyncssh's cryptography needs it.
packages=(openssh-client openssh-server putty-tools dropbear-bin python3-paramiko python3-asyncssh python3-cffi-backend ssh-audit)
stamp=$(sha256sum "$0" | cut -d' ' -f1)

complete() { [ "$(cat "$folder/.stamp" 2>/dev/null)" = "$stamp" ]; }

complete && exit 0
[ -n "$mirror" ] || { echo "trixie.sh: apt knows no Debian mirror; DEBIAN_MIRROR can name one" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "trixie.sh: only root can make $folder" >&2; exit 1; }
mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock 9
complete && exit 0

making=$folder.making
rm -rf "$making"
# debootstrap mounts /proc and /sys in the new system; in a mount namespace of their own they end with it.
unshare --mount --propagation private bash -euo pipefail -c '
  making=$1 mirror=$2; shift 2
  debootstrap --variant=minbase trixie "$making" "$mirror" >"$making.log" 2>&1
  # Nothing may start daemons in there.
  printf "#!/bin/sh\nexit 101\n" >"$making/usr/sbin/policy-rc.d"
  chmod 755 "$making/usr/sbin/policy-rc.d"
  mount --bind /dev "$making/dev"
  DEBIAN_FRONTEND=noninteractive chroot "$making" apt-get install -y -qq --no-install-recommends "$@" \
    >>"$making.log" 2>&1
  # The software security key alone: its package would bring a server and a Python framework along.
  chroot "$making" sh -ec "cd /tmp && apt-get download -qq openssh-tests && dpkg-deb -x openssh-tests_*.deb tests &&
    mkdir -p /usr/local/lib/sk && cp tests/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so /usr/local/lib/sk/ &&
    rm -rf tests openssh-tests_*.deb" >>"$making.log" 2>&1
  mkdir -p "$making/run/sshd"
  chroot "$making" apt-get clean
' trixie.sh "$making" "$mirror" "${packages[@]}" || { tail -n 20 "$making.log" >&2; exit 1; }
rm -f "$making.log"
echo "$stamp" >"$making/.stamp"
rm -rf "$folder"
mv "$making" "$folder"
