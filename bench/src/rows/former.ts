// packages/ssh compared with the npm package `ssh2` that it replaced: the same work by the same clients, in one run.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import shippedFlags from '../../../scripts/node-flags.json' with { type: 'json' }
import { type Server, orItsEnd, run, startServer } from '../site/child.ts'
import { collectGarbage } from '../inspector.ts'
import { type Candidate, interleave } from '../measure/interleave.ts'
import { idleClients } from '../idle-clients.ts'
import type { BenchOptions } from '../options.ts'
import { cpuSeconds, memoryOf } from '../measure/proc.ts'
import type { Row, Target } from '../row.ts'
import { pairedRatios, spreadOf } from '../measure/statistics.ts'
import { TARGETS } from '../targets.ts'

const CIPHERS = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'chacha20-poly1305@openssh.com', 'aes128-ctr']
const SIDES = ['own', 'former'] as const
type Side = (typeof SIDES)[number]
/** Handshakes per round, and how many concurrently. */
const HANDSHAKES = 24
const CONCURRENCY = 4
const IDLE_CONNECTIONS = 300
/** Connections before the first measurement: one-time costs are not counted. */
const FIRST = 30
const MEMORY_ROUNDS = 3

const Ports = z.object({ ssh: z.number() })

export async function measureFormer(options: BenchOptions): Promise<Row[]> {
  const key = join(options.folder, 'former_key')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  await using own = await start('own', options)
  await using former = await start('former', options)
  const sides = { own, former }
  const ssh = (side: Side, ...more: string[]): string[] => [...sshOptions(key, sides[side].port), ...more]
  const rows: Row[] = []
  for (const cipher of CIPHERS) {
    for (const direction of ['down', 'up'] as const) {
      rows.push(...(await throughput(options, sides, cipher, direction, (side) => ssh(side, '-c', cipher))))
    }
  }
  rows.push(...(await handshakes(options, sides, (side) => ssh(side))))
  rows.push(await idleMemory(options, key))
  return rows
}

interface Peer extends AsyncDisposable {
  readonly server: Server
  readonly port: number
}

async function start(side: Side, options: BenchOptions): Promise<Peer> {
  const flags = [...shippedFlags.server, ...options.nodeFlags(`former-${side}`), '--inspect=127.0.0.1:0']
  const program = join(import.meta.dirname, `../ssh-servers/${side}.ts`)
  const server = await startServer(process.execPath, [...flags, program], { ipc: true })
  const told = new Promise<unknown>((settle) => server.process.once('message', settle))
  const { ssh } = Ports.parse(await orItsEnd(server, side, told))
  return { server, port: ssh, [Symbol.asyncDispose]: () => server.stop() }
}

function sshOptions(key: string, port: number): string[] {
  const settings = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR', 'IdentitiesOnly=yes']
  // The only method of this list that the former package supports.
  settings.push('KexAlgorithms=curve25519-sha256')
  return ['-F', '/dev/null', '-p', String(port), '-i', key, ...settings.flatMap((word) => ['-o', word])]
}

/**
 * Rate, and CPU of the server: for uploads, the client's core can be the limit, so two servers may have equal rates.
 */
async function throughput(
  options: BenchOptions,
  sides: Readonly<Record<Side, Peer>>,
  cipher: string,
  direction: 'down' | 'up',
  ssh: (side: Side) => string[],
): Promise<Row[]> {
  const bytes = options.megabytes * 1e6
  const cpu: Record<Side, number[]> = { own: [], former: [] }
  const move = async (side: Side): Promise<number> => {
    const before = await cpuSeconds(sides[side].server.pid)
    const args = [...ssh(side), 'bench@127.0.0.1']
    const { milliseconds } =
      direction === 'down'
        ? await run('sh', ['-c', '"$@" >/dev/null', 'sh', 'ssh', ...args, `down ${bytes}`])
        : await run('sh', ['-c', `head -c ${bytes} /dev/zero | "$@"`, 'sh', 'ssh', ...args, 'up'])
    cpu[side].push(((await cpuSeconds(sides[side].server.pid)) - before) / (bytes / 1e9))
    return bytes / 1e3 / milliseconds
  }
  const name = cipher.replace('@openssh.com', '')
  const [id, work] = [`former.${name}.${direction}`, `bulk ${direction}, ${name}`]
  const rate = await compare(id, work, TARGETS.former.more, 'MB/s', move, options)
  return [rate, cpuRow(`${id}.cpu`, `CPU, ${work}`, 's/GB', cpu)]
}

async function handshakes(
  options: BenchOptions,
  sides: Readonly<Record<Side, Peer>>,
  ssh: (side: Side) => string[],
): Promise<Row[]> {
  const cpu: Record<Side, number[]> = { own: [], former: [] }
  const connectMany = async (side: Side): Promise<number> => {
    const { pid } = sides[side].server
    const before = await cpuSeconds(pid)
    const startedAt = performance.now()
    for (let done = 0; done < HANDSHAKES; done += CONCURRENCY) {
      await Promise.all(
        Array.from({ length: CONCURRENCY }, () => run('ssh', [...ssh(side), 'bench@127.0.0.1', 'true'])),
      )
    }
    const rate = HANDSHAKES / ((performance.now() - startedAt) / 1e3)
    cpu[side].push((((await cpuSeconds(pid)) - before) / HANDSHAKES) * 1e3)
    return rate
  }
  const rate = await compare(
    'former.handshakes',
    'handshakes a second',
    TARGETS.former.more,
    '/s',
    connectMany,
    options,
  )
  return [rate, cpuRow('former.handshake-cpu', 'CPU per handshake, sign-in and command', 'ms', cpu)]
}

/** The first value of each side belongs to the warm-up round. */
function cpuRow(id: string, work: string, unit: string, { own, former }: Readonly<Record<Side, number[]>>): Row {
  return ratioRow(id, work, TARGETS.former.less, unit, own.slice(1), former.slice(1))
}

/**
 * Growth of anonymous memory by idle connections with a shell, garbage collected. Memory left by earlier work would be
 * reused, and a heap's spare capacity differs by a megabyte from start to start: hence new processes, several times.
 */
async function idleMemory(options: BenchOptions, key: string): Promise<Row> {
  const perConnection = async (side: Side): Promise<number> => {
    await using peer = await start(side, options)
    await using clients = idleClients(peer.port, key)
    await clients.open(FIRST)
    const before = await settled(peer.server)
    await clients.open(IDLE_CONNECTIONS)
    return ((await settled(peer.server)) - before) / IDLE_CONNECTIONS / 1e3
  }
  const candidates = SIDES.map((name): Candidate => ({ name, measure: () => perConnection(name) }))
  const rounds = Math.min(options.repeats, MEMORY_ROUNDS)
  const values = await interleave(candidates, rounds, (side, kilobytes) =>
    options.say(`former idle ${side}: ${kilobytes.toFixed(1)} KB`),
  )
  const [ours, theirs] = [values.get('own') ?? [], values.get('former') ?? []]
  return ratioRow('former.idle', 'memory per idle connection with a shell', TARGETS.former.less, 'KB', ours, theirs)
}

async function settled(server: Server): Promise<number> {
  await pause(500)
  await collectGarbage(server)
  await pause(500)
  return (await memoryOf(server.pid)).anonymous
}

async function compare(
  id: string,
  work: string,
  target: Target,
  unit: string,
  measure: (side: Side) => Promise<number>,
  options: BenchOptions,
): Promise<Row> {
  const candidates = SIDES.map((name): Candidate => ({ name, measure: () => measure(name) }))
  const values = await interleave(candidates, options.repeats, (name, value) =>
    options.say(`${id} ${name}: ${value.toFixed(0)} ${unit}`),
  )
  return ratioRow(id, work, target, unit, values.get('own') ?? [], values.get('former') ?? [])
}

function ratioRow(
  id: string,
  work: string,
  target: Target,
  unit: string,
  ours: readonly number[],
  theirs: readonly number[],
): Row {
  return {
    id,
    work,
    peer: 'npm ssh2',
    unit: 'ratio',
    measured: spreadOf(pairedRatios(ours, theirs)),
    target,
    note: `${spreadOf(ours).median.toPrecision(3)} to ${spreadOf(theirs).median.toPrecision(3)} ${unit}`,
    samples: { [`own ${unit}`]: ours, [`ssh2 ${unit}`]: theirs },
  }
}
