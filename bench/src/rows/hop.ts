// Cost of the way by another node: two nodes of one installation, and a device whose link one of them holds.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '../../../e2e/support/postgres.ts'
import { type Candidate, interleave } from '../measure/interleave.ts'
import { cpuSeconds } from '../measure/proc.ts'
import { pairedRatios, percentile, spreadOf } from '../measure/statistics.ts'
import type { BenchOptions } from '../options.ts'
import type { Row } from '../row.ts'
import { accepted, startAgent } from '../site/agent.ts'
import { type Scene, inScene } from '../site/scene.ts'
import type { SiteNode } from '../site/site.ts'
import { freePort } from '../site/sockets.ts'
import { type SshClient, createSshClient } from '../ssh-client.ts'
import { TARGETS } from '../targets.ts'
import { type Direction, move } from './bulk.ts'
import { openTerminal } from './keystroke.ts'

const KEYSTROKES_PER_REPEAT = 400
const LOGINS_PER_REPEAT = 40
/** By each way, before any counts: V8 makes the code of a login fast after a hundred or two. */
const LOGINS_BEFORE = 200
const PASSWORD = 'password-of-the-login'
const CIPHER = ['-c', 'aes128-gcm@openssh.com']

/** The ways to the device of the first node: by that node, and by the other one. */
interface Ways {
  readonly near: SshClient
  readonly far: SshClient
}

export async function measureHop(options: BenchOptions): Promise<Row[]> {
  await using parts = new AsyncDisposableStack()
  const postgres = await startPostgres()
  parts.defer(() => postgres.stop())
  postgres.sql(`create role bowline login createrole password '${PASSWORD}'`)
  postgres.sql('create database bowline owner bowline')
  const shared = {
    BOWLINE_DATABASE_URL: postgres.url('bowline', PASSWORD, 'bowline'),
    BOWLINE_SECRET_KEY: 'ab'.repeat(32),
    BOWLINE_NODE_SECRET: 'secret of both nodes',
    BOWLINE_RECORDINGS_DIR: join(options.folder, 'hop-recordings'),
  }
  const address = async () => ({ BOWLINE_NODE_ADDRESS: `127.0.0.1:${await freePort()}` })
  return await inScene(
    options,
    'hop',
    async (scene) => {
      const folder = join(options.folder, 'hop/other')
      await mkdir(folder, { recursive: true, mode: 0o711 })
      await using other = await scene.site.join(folder, await address())
      const far = await createSshClient(folder, { ...scene.bowline, port: other.sshPort }, scene.sshd)
      const ways = { near: scene.ssh, far }
      await untilItWorks(far)
      return [
        await measureKeystrokes(ways, options),
        await measureBytes(ways, options, 'down'),
        await measureBytes(ways, options, 'up'),
        ...(await measureLogins(scene, other, ways, options)),
      ]
    },
    { ...shared, ...(await address()) },
  )
}

/** The nodes have found each other. */
async function untilItWorks(far: SshClient): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { stdout } = await far.run('bowline', 'echo works').catch(() => ({ stdout: '' }))
    if (stdout.toString() === 'works\n') return
    await pause(100)
  }
  throw new Error('the device is not reached by the other node')
}

async function measureKeystrokes({ near, far }: Ways, options: BenchOptions): Promise<Row> {
  await using terminals = new AsyncDisposableStack()
  const candidates: Candidate[] = []
  for (const [name, ssh] of Object.entries({ near, far })) {
    const terminal = terminals.use(await openTerminal(ssh, 'bowline'))
    candidates.push({
      name,
      async measure() {
        const times: number[] = []
        for (let index = 0; index < KEYSTROKES_PER_REPEAT; index += 1) times.push(await terminal.echo())
        return percentile(times, 0.5)
      },
    })
  }
  const times = await interleave(candidates, options.repeats, (name, ms) =>
    options.say(`hop keystroke ${name}: p50 ${ms.toFixed(3)} ms`),
  )
  const [direct, across] = [times.get('near') ?? [], times.get('far') ?? []]
  return {
    id: 'hop.keystroke',
    work: 'keystroke echo by another node, p50, more than by the same',
    peer: '',
    unit: 'ms',
    measured: spreadOf(across.map((ms, round) => ms - (direct[round] ?? Number.NaN))),
    target: TARGETS.hop.keystroke,
    note: `${spreadOf(across).median.toFixed(3)} to ${spreadOf(direct).median.toFixed(3)} ms`,
    samples: { 'far ms': across, 'near ms': direct },
  }
}

async function measureBytes({ near, far }: Ways, options: BenchOptions, direction: Direction): Promise<Row> {
  const bytes = options.megabytes * 1e6
  await using connections = new AsyncDisposableStack()
  const candidates: Candidate[] = []
  for (const [name, ssh] of Object.entries({ near, far })) {
    const connection = connections.use(await ssh.connect('bowline', CIPHER))
    candidates.push({ name, measure: async () => bytes / 1e3 / (await move(connection, direction, bytes)) })
  }
  const rates = await interleave(candidates, options.repeats, (name, rate) =>
    options.say(`hop bulk ${direction} ${name}: ${rate.toFixed(0)} MB/s`),
  )
  const [direct, across] = [rates.get('near') ?? [], rates.get('far') ?? []]
  return {
    id: `hop.bulk.${direction}`,
    work: `bulk ${direction} by another node, aes128-gcm`,
    peer: 'by the same node',
    unit: 'ratio',
    measured: spreadOf(pairedRatios(across, direct)),
    target: TARGETS.hop.bulk,
    note: `${spreadOf(across).median.toFixed(0)} to ${spreadOf(direct).median.toFixed(0)} MB/s`,
    samples: { 'far MB/s': across, 'near MB/s': direct },
  }
}

/**
 * CPU of both servers per login: all by one node, half by each with its own devices, and all by the way of the other. The
 * one node is either of the two, as one process may be a little slower than another for as long as it lives.
 */
async function measureLogins(
  { site, sshd, password }: Scene,
  other: SiteNode,
  { near, far }: Ways,
  options: BenchOptions,
): Promise<Row[]> {
  await using agent = await startAgent(site, password, { at: other.origin, name: 'second' })
  const folder = join(options.folder, 'hop/second')
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const login = await accepted(site, agent, 'second')
  const second = await createSshClient(folder, { port: other.sshPort, login, password: password.plain }, sshd)
  const used = async () => (await cpuSeconds(site.server.pid)) + (await cpuSeconds(other.server.pid))
  const perLogin = async (clients: readonly SshClient[]): Promise<number> => {
    const before = await used()
    for (let index = 0; index < LOGINS_PER_REPEAT; index += 1) {
      await clients[index % clients.length]?.run('bowline', 'true')
    }
    return ((await used()) - before) * (1_000 / LOGINS_PER_REPEAT)
  }
  for (const client of [near, second, far]) {
    for (let index = 0; index < LOGINS_BEFORE; index += 1) await client.run('bowline', 'true')
  }
  const times = await interleave(
    [
      { name: 'first', measure: () => perLogin([near]) },
      { name: 'second', measure: () => perLogin([second]) },
      { name: 'each', measure: () => perLogin([near, second]) },
      { name: 'across', measure: () => perLogin([far]) },
    ],
    options.repeats,
    (name, ms) => options.say(`hop login ${name}: ${ms.toFixed(1)} ms of CPU`),
  )
  const alone = times.get('second') ?? []
  const one = (times.get('first') ?? []).map((ms, round) => (ms + (alone[round] ?? Number.NaN)) / 2)
  const row = (name: 'each' | 'across', work: string): Row => {
    const ours = times.get(name) ?? []
    return {
      id: `hop.login.${name}`,
      work,
      peer: 'all by one node',
      unit: 'ratio',
      measured: spreadOf(pairedRatios(ours, one)),
      ...(name === 'each' ? { target: TARGETS.hop.login } : {}),
      note: `${spreadOf(ours).median.toFixed(1)} to ${spreadOf(one).median.toFixed(1)} ms of both servers`,
      samples: { [`${name} ms`]: ours, 'one ms': one },
    }
  }
  return [row('each', 'CPU per login, each node with its own devices'), row('across', 'CPU per login by another node')]
}
