// A network of its own for podman-compose, so that ports 22, 80 and 443 are free, and the images that the files of
// deploy/compose name: there is no registry, so PostgreSQL, HAProxy and an authority are built here from Debian's
// packages and Pebble, with the same accounts, folders and variables as the official images.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/product.ts'

const DEBIAN = process.env['TESTKIT_TRIXIE'] ?? '/var/cache/bowline/trixie'
const COMPOSE = join(root, '.cache/podman-compose/bin/podman-compose')
const PEBBLE = join(root, '.cache/pebble/pebble')
/** Of the network that the containers' ports are in; this machine has the address before it. */
export const ADDRESS = '10.99.0.2'

/** The limits of machines where tests run, as packages/testkit has them for its containers. */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=4096:4096","nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`

const PROGRAMS = `FROM docker.io/library/debian:trixie-slim
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql haproxy
RUN rm -rf /run/haproxy && usermod -u 99 haproxy && groupmod -g 99 haproxy
`
/** Does what the official image does at the first start. */
const POSTGRES_ENTRYPOINT = `#!/bin/sh
set -eu
export PGDATA=/var/lib/postgresql/18/docker PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown -R postgres:postgres /var/lib/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -o '-c listen_addresses=' -w start
  createdb -U "$POSTGRES_USER" "$POSTGRES_USER"
  for file in /docker-entrypoint-initdb.d/*.sh; do sh "$file"; done
  pg_ctl -m fast -w stop
fi
exec postgres -c 'listen_addresses=*'
`
const POSTGRES = `FROM localhost/programs
ENV LANG=C.UTF-8
COPY entrypoint /usr/local/bin/entrypoint
STOPSIGNAL SIGINT
ENTRYPOINT ["/usr/local/bin/entrypoint"]
`
const HAPROXY = `FROM localhost/programs
USER haproxy
STOPSIGNAL SIGUSR1
ENTRYPOINT ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
`
const AUTHORITY = `FROM docker.io/library/debian:trixie-slim
COPY pebble config.json tls.crt tls.key /
ENV PEBBLE_VA_NOSLEEP=1
ENTRYPOINT ["/pebble", "-config", "/config.json"]
`
const AUTHORITY_CONFIG = {
  listenAddress: '0.0.0.0:14000',
  managementListenAddress: '0.0.0.0:15000',
  certificate: '/tls.crt',
  privateKey: '/tls.key',
  httpPort: 8080,
  tlsPort: 8443,
  retryAfter: { authz: 1, order: 1 },
}

/** Why none can be made here; undefined when one can. */
export function composeProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root'
  if (spawnSync('podman', ['--version']).error) return 'needs podman'
  if (spawnSync('iptables', ['--version']).error) return 'needs iptables'
  const missing = [DEBIAN, COMPOSE, PEBBLE].find((path) => !existsSync(path))
  return missing && `needs ${missing}`
}

export interface ComposeMachine {
  /** Has deploy/ of this checkout, and what a test writes into it. */
  readonly folder: string
  /** Runs lines of bash in the folder, with the containers' network. @returns stdout @throws {Error} when one fails */
  run(script: string): string
  /** The same with this machine's network, for what comes from Debian's mirror. */
  build(script: string): string
  remove(): void
}

/** Makes the images; `bowline` itself is up to the caller, in `deploy/image`. */
export function makeComposeMachine(): ComposeMachine {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-compose-'))
  const inside = (name: string): string => join(folder, name)
  const space = `bowline-${process.pid}`
  const [here, there] = [`bw${process.pid}`, `bx${process.pid}`]
  writeFileSync(
    inside('containers.conf'),
    `${CONTAINERS_CONF}tmp_dir = "${inside('libpod')}"\n[network]\nnetwork_config_dir = "${inside('networks')}"\n`,
  )
  writeFileSync(
    inside('storage.conf'),
    `[storage]\ndriver = "overlay"\ngraphroot = "${inside('graph')}"\nrunroot = "${inside('run')}"\n`,
  )
  cpSync(join(root, 'deploy'), inside('deploy'), { recursive: true })
  const env = {
    ...process.env,
    PATH: `${join(COMPOSE, '..')}:${process.env['PATH']}`,
    CONTAINERS_CONF: inside('containers.conf'),
    CONTAINERS_STORAGE_CONF: inside('storage.conf'),
    BUILDAH_ISOLATION: 'chroot',
  }
  const bash = (script: string, cwd: string, enter: readonly string[] = []): string => {
    return execFileSync('env', [...enter, 'bash', '-euo', 'pipefail', '-c', script], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
  bash(
    `ip netns add ${space}
    ip link add ${here} type veth peer name ${there} netns ${space}
    ip addr add 10.99.0.1/24 dev ${here}
    ip link set ${here} up
    ip -n ${space} addr add ${ADDRESS}/24 dev ${there}
    ip -n ${space} link set ${there} up
    ip -n ${space} link set lo up
    nsenter --net=/run/netns/${space} sysctl -qw net.ipv4.ip_forward=1
    tar -C ${DEBIAN} --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* -c . | podman import - docker.io/library/debian:trixie-slim`,
    folder,
  )
  const build = (tag: string, containerfile: string, files: Readonly<Record<string, string>> = {}): void => {
    const context = inside(tag.replaceAll(/\W/g, '-'))
    mkdirSync(context, { recursive: true })
    writeFileSync(join(context, 'Containerfile'), containerfile)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(context, name), text, { mode: 0o755 })
    bash(`podman build -q -t ${tag} ${context}`, folder)
  }
  build('localhost/programs', PROGRAMS)
  build('docker.io/library/postgres:18', POSTGRES, { entrypoint: POSTGRES_ENTRYPOINT })
  build('docker.io/library/haproxy:3.2', HAPROXY)
  const authority = inside('localhost-authority')
  mkdirSync(authority)
  copyFileSync(PEBBLE, join(authority, 'pebble'))
  const certificate = '-subj /CN=authority -addext subjectAltName=DNS:authority -keyout tls.key -out tls.crt'
  bash(`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes ${certificate}`, authority)
  build('localhost/authority', AUTHORITY, { 'config.json': JSON.stringify({ pebble: AUTHORITY_CONFIG }) })
  copyFileSync(join(authority, 'tls.crt'), inside('deploy/compose/authority.pem'))
  return {
    folder,
    build: (script) => bash(script, folder),
    run: (script) => bash(script, folder, ['nsenter', `--net=/run/netns/${space}`]),
    remove() {
      bash(`ip netns del ${space}; umount -l ${inside('graph/overlay')} || true`, '/')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
