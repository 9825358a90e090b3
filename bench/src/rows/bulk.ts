// Bulk throughput of an established connection, both ways, and its CPU cost in the product.
import { join } from 'node:path'
import { startRelays } from '../floor/relays.ts'
import { hasCoreForEach } from '../machine.ts'
import type { BenchOptions } from '../options.ts'
import { cpuSeconds } from '../measure/proc.ts'
import type { Row, Target } from '../row.ts'
import { type Scene, inScene } from '../site/scene.ts'
import { type Candidate, interleave } from '../measure/interleave.ts'
import type { Connection, Way } from '../ssh-client.ts'
import { pairedRatios, spreadOf } from '../measure/statistics.ts'
import { TARGETS } from '../targets.ts'

const CIPHERS = {
  'aes128-gcm': 'aes128-gcm@openssh.com',
  'chacha20-poly1305': 'chacha20-poly1305@openssh.com',
} as const
type Cipher = keyof typeof CIPHERS
const DIRECTIONS = ['down', 'up'] as const
export type Direction = (typeof DIRECTIONS)[number]
const WAYS = ['bowline', 'sshd', 'jump'] as const satisfies readonly Way[]
/**
 * Peers of the comparison. `relayed` is sshd behind two relays of plain Node with TLS between them: OpenSSH in place of
 * the product's own SSH, over the same hops.
 */
const PEERS = { sshd: 'sshd', jump: 'ssh -J', relayed: 'sshd behind relays' } as const
type Peer = keyof typeof PEERS

export function measureBulk(options: BenchOptions): Promise<Row[]> {
  return inScene(options, 'bulk', async (scene) => {
    const rows: Row[] = []
    for (const cipher of ['aes128-gcm', 'chacha20-poly1305'] as const) {
      for (const direction of DIRECTIONS) rows.push(...(await measureOne(scene, options, cipher, direction)))
    }
    return rows
  })
}

async function measureOne(
  { site, agent, sshd, ssh }: Scene,
  options: BenchOptions,
  cipher: Cipher,
  direction: Direction,
): Promise<Row[]> {
  const bytes = options.megabytes * 1e6
  await using connections = new AsyncDisposableStack()
  const server: number[] = []
  const device: number[] = []
  const candidates: Candidate[] = []
  const add = async (name: 'bowline' | Peer, way: Way, options: readonly string[] = []): Promise<void> => {
    const connection = connections.use(await ssh.connect(way, ['-c', CIPHERS[cipher], ...options]))
    await proveTransfer(connection, direction)
    const transfer = async (): Promise<number> => bytes / 1e3 / (await move(connection, direction, bytes))
    candidates.push({
      name,
      measure: name === 'bowline' ? () => countCpu(site.server.pid, agent.pid, { server, device }, transfer) : transfer,
    })
  }
  for (const way of WAYS) await add(way, way)
  const certificate = ['tls.crt', 'tls.key'].map((name) => join(site.dataFolder, name))
  const relays = connections.use(await startRelays('tls', certificate, sshd.port))
  await add('relayed', 'sshd', ['-p', String(relays.port)])
  const rates = await interleave(candidates, options.repeats, (way, rate) =>
    options.say(`bulk ${cipher} ${direction} ${way}: ${rate.toFixed(0)} MB/s`),
  )
  const ours = rates.get('bowline') ?? []
  const named = { work: `bulk ${direction}, ${cipher}` }
  const rows = (['sshd', 'jump', 'relayed'] as const).map((peer): Row => {
    const theirs = rates.get(peer) ?? []
    const target = targetOf(peer, cipher, direction)
    return {
      ...named,
      id: `bulk.${cipher}.${direction}.${peer}`,
      peer: PEERS[peer],
      unit: 'ratio',
      measured: spreadOf(pairedRatios(ours, theirs)),
      ...(target ? { target } : {}),
      note: `${spreadOf(ours).median.toFixed(0)} to ${spreadOf(theirs).median.toFixed(0)} MB/s`,
      samples: { 'bowline MB/s': ours, [`${peer} MB/s`]: theirs },
    }
  })
  // The first value belongs to the warm-up round.
  const perGb = (seconds: readonly number[]): number[] => seconds.slice(1).map((value) => value / (bytes / 1e9))
  const cpuRow = (who: 'server' | 'agent', seconds: readonly number[], target?: Target): Row => ({
    id: `cpu.${who}.${cipher}.${direction}`,
    work: `CPU of the ${who}, ${direction}, ${cipher}`,
    peer: '',
    unit: 'secondsPerGb',
    measured: spreadOf(perGb(seconds)),
    ...(target ? { target } : {}),
    note: who === 'server' ? 'SSH and link side together' : '',
    samples: { 's/GB': perGb(seconds) },
  })
  const target = cipher === 'aes128-gcm' ? TARGETS.cpu.path[direction] : undefined
  return [...rows, cpuRow('server', server, target), cpuRow('agent', device)]
}

function targetOf(peer: Peer, cipher: Cipher, direction: Direction): Target | undefined {
  if (peer === 'relayed') return TARGETS.bulk.relayed[direction]
  if (!hasCoreForEach) return undefined
  if (peer === 'sshd') return TARGETS.bulk.sshd[cipher][direction]
  return cipher === 'aes128-gcm' ? TARGETS.bulk.jump[cipher][direction] : undefined
}

/** Both sides run the same programs: `head` on one end, nothing or `cat` on the other. @returns milliseconds */
export async function move(connection: Connection, direction: Direction, bytes: number): Promise<number> {
  const { milliseconds } =
    direction === 'down'
      ? await connection.run(`head -c ${bytes} /dev/zero`, '"$@" >/dev/null')
      : await connection.run('cat >/dev/null', `head -c ${bytes} /dev/zero | "$@"`)
  return milliseconds
}

/** Verifies that a few bytes arrive at the other end: a transfer that moves nothing must not be measured. */
async function proveTransfer(connection: Connection, direction: Direction): Promise<void> {
  const bytes = 3_000_001
  const { stdout } =
    direction === 'down'
      ? await connection.run(`head -c ${bytes} /dev/zero`, '"$@" | wc -c')
      : await connection.run('wc -c', `head -c ${bytes} /dev/zero | "$@"`)
  if (Number(stdout.toString()) !== bytes) throw new Error(`${stdout.toString().trim()} of ${bytes} bytes arrived`)
}

/** Adds the CPU seconds that both processes of the product use meanwhile. */
async function countCpu(
  serverPid: number,
  agentPid: number,
  used: { server: number[]; device: number[] },
  act: () => Promise<number>,
): Promise<number> {
  const before = await Promise.all([cpuSeconds(serverPid), cpuSeconds(agentPid)])
  const value = await act()
  used.server.push((await cpuSeconds(serverPid)) - before[0])
  used.device.push((await cpuSeconds(agentPid)) - before[1])
  return value
}
