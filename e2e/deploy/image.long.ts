// The image of deploy/image: built by podman from a release and this machine's small Debian, and started with a read-only
// root beside a real PostgreSQL. By command, because it builds a release first.
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { freePort } from '@bowline/testkit/free-port'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { OWN_AGENT, buildStale } from '../../scripts/build.ts'
import nodeFlags from '../../scripts/node-flags.json' with { type: 'json' }
import { makeReleases, versionOfCheckout } from '../../scripts/release/release.ts'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { postgresPrograms, startPostgres } from '../support/postgres.ts'
import { root } from '../support/product.ts'
import type { Server } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'

const MINUTE_MS = 60_000
const DEBIAN = process.env['TESTKIT_TRIXIE'] ?? '/var/cache/bowline/trixie'
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
const missing =
  process.getuid?.() !== 0 || spawnSync('podman', ['--version']).error || !existsSync(DEBIAN) || !postgresPrograms
const PASSWORD = 'password-of-the-login'
/** As packages/testkit has them for its containers: the limits of machines where tests run. */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=4096:4096","nproc=4096:4096"]
netns = "host"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`

it('starts the server with the flags of the release', () => {
  const [, list = ''] = /ENTRYPOINT \[(.*)\]/.exec(readFileSync(join(root, 'deploy/image/Containerfile'), 'utf8')) ?? []
  expect(JSON.parse(`[${list}]`)).toEqual([
    '/opt/bowline/bin/node',
    ...nodeFlags.server,
    '/opt/bowline/apps/server/src/main.ts',
  ])
})

describe.skipIf(missing)('the image (needs root, podman, PostgreSQL and the Debian of packages/testkit)', () => {
  // Removes gigabytes.
  vi.setConfig({ hookTimeout: 5 * MINUTE_MS })
  const undo = cleanups()
  const ports = { http: 0, ssh: 0 }
  let podman: (...args: string[]) => string
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bowline-image-'))
    undo(() => rmSync(folder, { recursive: true, force: true }))
    const inside = (name: string): string => join(folder, name)
    writeFileSync(inside('containers.conf'), `${CONTAINERS_CONF}tmp_dir = "${inside('libpod')}"\n`)
    const places = `graphroot = "${inside('graph')}"\nrunroot = "${inside('run')}"`
    writeFileSync(inside('storage.conf'), `[storage]\ndriver = "vfs"\n${places}\n`)
    const env = {
      ...process.env,
      CONTAINERS_CONF: inside('containers.conf'),
      CONTAINERS_STORAGE_CONF: inside('storage.conf'),
    }
    podman = (...args) =>
      execFileSync('podman', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
    await buildStale(['console', 'docs', OWN_AGENT])
    mkdirSync(inside('context'))
    makeReleases({ arch, versions: [versionOfCheckout()], agents: [arch], target: inside('context'), compression: 1 })
    copyFileSync(join(root, 'deploy/image/Containerfile'), join(inside('context'), 'Containerfile'))
    const base = ['tar', '-C', DEBIAN, '--exclude=./proc/*', '--exclude=./sys/*', '--exclude=./dev/*', '-c', '.']
    execFileSync('sh', ['-c', `${base.join(' ')} | podman import - localhost/debian:13`], { env, stdio: 'pipe' })
    podman(
      'build',
      '--isolation=chroot',
      '--build-arg=DEBIAN=localhost/debian:13',
      '-t',
      'localhost/bowline',
      inside('context'),
    )
  }, 20 * MINUTE_MS)

  it(
    'serves the console and ssh as an account without rights, on a read-only root without a shell',
    async () => {
      const postgres = await startPostgres()
      undo(() => postgres.stop())
      postgres.sql(`create role bowline login createrole password '${PASSWORD}'`)
      postgres.sql('create database bowline owner bowline')
      ports.http = await freePort()
      ports.ssh = await freePort()
      const data = join(folder, 'data')
      mkdirSync(data)
      chownSync(data, 10_001, 10_001)
      const settings = {
        BOWLINE_HOST: '127.0.0.1',
        BOWLINE_HTTP_PORT: String(ports.http),
        BOWLINE_SSH_PORT: String(ports.ssh),
        BOWLINE_DATABASE_URL: postgres.url('bowline', PASSWORD, 'bowline'),
        BOWLINE_SECRET_KEY: randomBytes(32).toString('hex'),
        BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8',
      }
      const given = Object.entries(settings).map(([name, value]) => `--env=${name}=${value}`)
      const rights = ['--cap-drop=ALL', '--security-opt=no-new-privileges', '--read-only', '--read-only-tmpfs=false']
      podman(
        'run',
        '--detach',
        '--name=server',
        ...rights,
        '--tmpfs=/tmp',
        `--volume=${data}:/data`,
        ...given,
        'localhost/bowline',
      )
      undo(() => podman('rm', '--force', '--time=5', 'server'))
      const logs = (): string =>
        spawnSync('sh', ['-c', `podman logs server 2>&1`], {
          env: {
            ...process.env,
            CONTAINERS_CONF: join(folder, 'containers.conf'),
            CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
          },
          encoding: 'utf8',
        }).stdout
      const link = await until('the server listens', () => {
        const text = logs()
        if (/bowline: /.test(text)) throw new Error(text)
        return /http:\S+\/setup\?sign=\S+/.exec(text)?.[0]
      })
      const origin = `http://127.0.0.1:${ports.http}`
      const page = await fetch(`${origin}/`, { headers: { accept: 'text/html' } })
      expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])

      const pid = podman('inspect', '--format', '{{.State.Pid}}', 'server')
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      expect(status).toMatch(/^Uid:\s10001\s10001\s10001\s10001$/m)
      expect(status).toMatch(/^CapEff:\s0{16}$/m)
      expect(status).toMatch(/^NoNewPrivs:\s1$/m)
      expect(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')).toMatch(/ \/ ro[ ,]/)
      for (const shell of ['bin/sh', 'usr/bin/sh', 'bin/bash', 'usr/bin/apt'])
        expect(existsSync(`/proc/${pid}/root/${shell}`)).toBe(false)

      const account = { username: 'operator', password: 'correct horse' }
      const anonymous = createClient({ origin })
      const sign = new URL(link).searchParams.get('sign') ?? ''
      const person = { ...account, name: 'Olga Operator', email: 'operator@example.com' }
      await anonymous.call(operations.instance.setup, { query: { sign }, body: person })
      const { token, tenant } = (await anonymous.call(operations.auth.login, { body: account })).body
      const server: Pick<Server, 'origin' | 'tenant' | 'ssh' | 'client'> = {
        origin,
        tenant,
        ssh: { host: '127.0.0.1', port: ports.ssh },
        client: () => Promise.resolve(createClient({ origin, token: () => token })),
      }
      const agent: Agent = await startAgent(server, 'imaged')
      undo(() => agent.remove())
      expect((await ssh(agent.target, ['echo works'])).stdout.toString()).toBe('works\n')
    },
    5 * MINUTE_MS,
  )
})
