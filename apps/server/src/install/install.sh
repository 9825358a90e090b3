#!/bin/sh
# Fetches the Bowline agent from the server this script came from and runs it in the foreground, with a Node from there
# too when this machine has none that is new enough. Needs sh, tar, gzip and curl (or wget).
#
#   SERVER_ADDRESS  the server             TENANT_ID  the namespace          BOWLINE_DIR  where it lives
set -eu

default_server=@SERVER_ADDRESS@
default_tenant=@TENANT_ID@
default_pin=@SERVER_PIN@
least_node=26

SERVER_ADDRESS=${SERVER_ADDRESS:-$default_server}
TENANT_ID=${TENANT_ID:-$default_tenant}
SERVER_PIN=${SERVER_PIN:-$default_pin}

fail() {
  printf 'bowline: %s\n' "$1" >&2
  exit 1
}

fetch() { # path on the server, file
  if command -v curl >/dev/null 2>&1; then
    if [ -n "$SERVER_PIN" ]; then
      curl -fsSLk --pinnedpubkey "$SERVER_PIN" -o "$2" "$SERVER_ADDRESS$1"
    else
      curl -fsSL -o "$2" "$SERVER_ADDRESS$1"
    fi
  elif [ -n "$SERVER_PIN" ]; then
    fail 'curl is needed: wget cannot check the pinned key of this server.'
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$SERVER_ADDRESS$1"
  else
    fail 'curl or wget is needed.'
  fi
}

[ -n "$TENANT_ID" ] || fail 'TENANT_ID is not set: copy the command from the console.'
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

user=$(id -un 2>/dev/null || id -u)
if [ "$(id -u)" = 0 ]; then dir=${BOWLINE_DIR:-/var/lib/bowline-agent}; else dir=${BOWLINE_DIR:-${HOME:-/tmp}/.bowline-agent}; fi
mkdir -p "$dir" || fail "cannot make $dir; set BOWLINE_DIR to a folder that can be written."
chmod 700 "$dir"

printf 'bowline: fetching the agent from %s\n' "$SERVER_ADDRESS"
fetch "/agent/bundle-linux-$arch.tar.gz" "$dir/bundle.tar.gz" ||
  fail "$SERVER_ADDRESS cannot be reached or has no agent for linux-$arch."
rm -rf "$dir/agent.new"
mkdir "$dir/agent.new"
tar -xzf "$dir/bundle.tar.gz" -C "$dir/agent.new"
rm -rf "$dir/bundle.tar.gz" "$dir/agent"
mv "$dir/agent.new" "$dir/agent"

is_new_enough() { # path of a node
  [ -x "$1" ] && [ "$("$1" -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -ge "$least_node" ]
}
node=$(command -v node || true)
if is_new_enough "$dir/node"; then
  node=$dir/node
elif ! is_new_enough "$node"; then
  printf 'bowline: fetching Node %s, which this machine does not have\n' "$least_node"
  fetch "/agent/node-linux-$arch.gz" "$dir/node.gz" || fail "the server has no Node for linux-$arch."
  gzip -dc "$dir/node.gz" >"$dir/node.new"
  rm -f "$dir/node.gz"
  chmod 755 "$dir/node.new"
  mv "$dir/node.new" "$dir/node"
  node=$dir/node
fi

export BOWLINE_SERVER_ADDRESS="$SERVER_ADDRESS" BOWLINE_TENANT_ID="$TENANT_ID" BOWLINE_PRIVATE_KEY="$dir/agent.key"
if [ -n "$SERVER_PIN" ]; then export BOWLINE_SERVER_PIN="$SERVER_PIN"; fi

if [ "$(id -u)" != 0 ]; then
  # Without root nobody's system password can be checked: the device gets one of its own, for sessions as this user.
  if [ ! -s "$dir/password.hash" ]; then
    password=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
    hash=$(printf '%s' "$password" | "$node" "$dir/agent/agent.js" hash-password)
    (umask 077 && printf '%s\n' "$hash" >"$dir/password.hash")
    printf '\n  Sign in to this device as %s with its device password:\n\n      %s\n\n' "$user" "$password"
    printf '  It is shown this once; remove %s for a new one.\n\n' "$dir/password.hash"
  fi
  BOWLINE_SINGLE_USER_PASSWORD=$(cat "$dir/password.hash")
  export BOWLINE_SINGLE_USER_PASSWORD
fi
# Bytes in transit live shortly; with these V8 does not collect everything again and again during bulk transfers.
exec "$node" --max-semi-space-size=1 --initial-old-space-size=64 "$dir/agent/agent.js"
