#!/bin/sh
# Fetches the Bowline agent from the server this script came from and makes it a service of this machine, or runs it in
# the foreground. Needs sh, tar, gzip and curl (or wget). `sh -s uninstall` takes it away again.
#
#   INSTALL_METHOD      systemd, openrc or foreground; default: as root the service manager that runs, else foreground
#   SERVER_ADDRESS      the server                  TENANT_ID           the namespace; default: the agent shows a code
#   PREFERRED_HOSTNAME  device name to ask for      PREFERRED_IDENTITY  instead of the MAC address
#   KEEPALIVE_INTERVAL  seconds between two pings   PRIVATE_KEY         file of the device key
#   BOWLINE_DIR         where a foreground agent lives
#   UPDATE_KEY          key that signs updates of the agent, instead of the one that the server names
#   INSTALL_KEY         key that tags and accepts the device; `sh -s -- --key KEY` does the same
set -eu

default_server=@SERVER_ADDRESS@
default_tenant=@TENANT_ID@
default_pin=@SERVER_PIN@
default_hostname=@PREFERRED_HOSTNAME@
default_identity=@PREFERRED_IDENTITY@
default_keepalive=@KEEPALIVE_INTERVAL@
# Key that signs updates of the agent; empty where they are not signed.
default_update_key=@UPDATE_KEY@
# SHA-256 of the agent's archives. Empty in a development server that has not built one yet: it is asked for it then.
default_sum_x64=@SUM_X@
default_sum_arm64=@SUM_ARM@

SERVER_ADDRESS=${SERVER_ADDRESS:-$default_server}
TENANT_ID=${TENANT_ID:-$default_tenant}
SERVER_PIN=${SERVER_PIN:-$default_pin}
UPDATE_KEY=${UPDATE_KEY:-$default_update_key}

fail() {
  printf 'bowline: %s\n' "$1" >&2
  exit 1
}

fetch() { # path on the server, file
  # A redirection must not lead to a protocol without encryption.
  case $SERVER_ADDRESS in
    https://*) only='--proto =https --proto-redir =https' ;;
    *) only= ;;
  esac
  if command -v curl >/dev/null 2>&1; then
    # Words of their own: $only is empty or several.
    if [ -n "$SERVER_PIN" ]; then
      curl -fsSLk --pinnedpubkey "$SERVER_PIN" $only -o "$2" "$SERVER_ADDRESS$1"
    else
      curl -fsSL $only -o "$2" "$SERVER_ADDRESS$1"
    fi
  elif [ -n "$SERVER_PIN" ]; then
    fail 'curl is needed: wget cannot check the pinned key of this server.'
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$SERVER_ADDRESS$1"
  else
    fail 'curl or wget is needed.'
  fi
}

sha256() { # file
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1"
  elif command -v openssl >/dev/null 2>&1; then
    openssl dgst -sha256 -r "$1"
  else
    fail 'sha256sum, shasum or openssl is needed.'
  fi
}

is_root() { [ "$(id -u)" = 0 ]; }

setting() { # name, value
  if [ -n "$2" ]; then export "BOWLINE_$1=$2"; fi
}

# Read to its end before anything happens: a script that arrives in part does nothing.
main() {
  if [ "${1:-}" = uninstall ]; then
    shift
    [ -x /usr/local/bin/bowline ] || fail 'no agent is installed as a service here.'
    exec /usr/local/bin/bowline agent uninstall "$@"
  fi

  while [ $# -gt 0 ]; do
    case $1 in
      --key)
        [ $# -ge 2 ] || fail '--key needs an install key.'
        INSTALL_KEY=$2
        shift 2
        ;;
      *) fail "$1 is unknown; this script takes --key KEY and uninstall." ;;
    esac
  done
  [ -n "$TENANT_ID" ] || [ -z "${INSTALL_KEY:-}" ] ||
    fail 'TENANT_ID is not set, and an install key is one of a namespace: copy the command from the console.'
  [ "$(uname -s)" = Linux ] || fail "this machine runs $(uname -s); the agent is for Linux."
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "this machine is $(uname -m); the agent is for x86_64 and aarch64." ;;
  esac
  set -- /lib/ld-musl-*
  if [ -e "$1" ]; then
    set -- /lib/ld-linux-* /lib64/ld-linux-*
    [ -e "$1" ] || [ -e "$2" ] ||
      fail 'this machine uses the musl C library (Alpine and others); the agent is for glibc.'
  fi

  method=${INSTALL_METHOD:-}
  if [ -z "$method" ]; then
    if is_root && [ -d /run/systemd/system ]; then
      method=systemd
    elif is_root && [ -e /run/openrc/softlevel ]; then
      method=openrc
    else
      method=foreground
    fi
  fi
  case $method in
    systemd | openrc)
      is_root || fail "the method $method needs root (sudo)."
      if [ "$method" = systemd ]; then [ -d /run/systemd/system ]; else [ -e /run/openrc/softlevel ]; fi ||
        fail "this machine is not run by $method."
      [ ! -e /usr/lib/bowline/package/managed-by.json ] ||
        fail 'this machine has the package bowline-agent: /usr/bin/bowline agent install makes its agent a service.'
      dir=/usr/local/lib/bowline
      mode=755
      ;;
    foreground)
      if is_root; then dir=${BOWLINE_DIR:-/var/lib/bowline-agent}; else dir=${BOWLINE_DIR:-${HOME:-/tmp}/.bowline-agent}; fi
      mode=700
      ;;
    *) fail "INSTALL_METHOD is $method; it can be systemd, openrc or foreground." ;;
  esac
  unset BOWLINE_DIR
  mkdir -p "$dir" || fail "cannot make $dir; set BOWLINE_DIR to a folder that can be written."
  chmod "$mode" "$dir"

  printf 'bowline: fetching the agent from %s\n' "$SERVER_ADDRESS"
  new=$dir/.new
  rm -rf "$new"
  mkdir "$new"
  trap 'rm -rf "$new"' EXIT
  fetch "/agent/bundle-linux-$arch.tar.gz" "$new/bundle.tar.gz" ||
    fail "$SERVER_ADDRESS cannot be reached or has no agent for linux-$arch."
  case $arch in
    x64) sum=$default_sum_x64 ;;
    arm64) sum=$default_sum_arm64 ;;
  esac
  if [ -z "$sum" ]; then
    fetch "/agent/bundle-linux-$arch.tar.gz.sha256" "$new/sum" || fail "$SERVER_ADDRESS does not tell the archive's hash."
    sum=$(cut -d ' ' -f 1 "$new/sum")
    rm "$new/sum"
  fi
  # Assigned first: a failure within an argument would not end the script.
  found=$(sha256 "$new/bundle.tar.gz")
  [ "${found%% *}" = "$sum" ] ||
    fail "the archive from $SERVER_ADDRESS is not the one that this script was made for: its SHA-256 is ${found%% *}, not $sum."
  tar -xzf "$new/bundle.tar.gz" -C "$new"
  rm "$new/bundle.tar.gz"
  version=$(ls "$new")
  # The program has megabytes of zeros, which need no room on a disk whose file system keeps holes.
  fallocate -d "$new/$version/bowline" 2>/dev/null || :
  # On the way from here to a running agent this is what can be wrong with a machine: a library that it does not have.
  problem=$("$new/$version/bowline" --version 2>&1 >/dev/null) || {
    printf '%s\n' "$problem" >&2
    case $problem in
      *libatomic*) fail 'the agent needs the library libatomic: apt-get install libatomic1, or dnf install libatomic.' ;;
    esac
    fail 'the agent does not run here; what is missing is named above.'
  }
  # Tells the agent the number of its release, once it has verified it. It is also an older version's, when the same program
  # is in a newer release.
  if [ -n "$default_update_key" ]; then
    for file in manifest.json manifest.json.sig; do
      fetch "/agent/$file" "$new/$file" || fail "$SERVER_ADDRESS does not send the agent's $file."
    done
    BOWLINE_UPDATE_KEY=$UPDATE_KEY "$new/$version/bowline" agent keep-manifest \
      "$new/manifest.json" "$new/manifest.json.sig" "$sum" ||
      fail "the agent from $SERVER_ADDRESS is not signed by the key $UPDATE_KEY."
    [ ! -d "$dir/$version" ] || mv "$new/$version/manifest.json" "$dir/$version/manifest.json"
  fi
  [ -d "$dir/$version" ] || mv "$new/$version" "$dir/$version"
  rm -rf "$new"
  trap - EXIT
  bowline=$dir/$version/bowline

  setting SERVER_ADDRESS "$SERVER_ADDRESS"
  setting SERVER_PIN "$SERVER_PIN"
  setting TENANT_ID "$TENANT_ID"
  setting INSTALL_KEY "${INSTALL_KEY:-}"
  setting UPDATE_KEY "$UPDATE_KEY"
  setting PREFERRED_HOSTNAME "${PREFERRED_HOSTNAME:-$default_hostname}"
  setting PREFERRED_IDENTITY "${PREFERRED_IDENTITY:-$default_identity}"
  setting KEEPALIVE_INTERVAL "${KEEPALIVE_INTERVAL:-$default_keepalive}"
  setting PRIVATE_KEY "${PRIVATE_KEY:-}"

  [ "$method" = foreground ] || exec "$bowline" agent install

  for other in "$dir"/bowline-agent-*; do
    [ "$other" = "$dir/$version" ] || rm -rf "$other"
  done
  setting PRIVATE_KEY "${PRIVATE_KEY:-$dir/agent.key}"
  if ! is_root; then
    # Without root nobody's system password can be checked: the device gets one of its own, for sessions as this user.
    user=$(id -un 2>/dev/null || id -u)
    if [ ! -s "$dir/password.hash" ]; then
      password=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
      hash=$(printf '%s' "$password" | "$bowline" agent hash-password)
      (umask 077 && printf '%s\n' "$hash" >"$dir/password.hash")
      printf '\n  Sign in to this device as %s with its device password:\n\n      %s\n\n' "$user" "$password"
      printf '  It is shown this once; remove %s for a new one.\n\n' "$dir/password.hash"
    fi
    BOWLINE_SINGLE_USER_PASSWORD=$(cat "$dir/password.hash")
    export BOWLINE_SINGLE_USER_PASSWORD
  fi
  exec "$bowline" agent
}

main "$@"
