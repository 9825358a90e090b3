// The achievable baseline on this machine with two Node processes between client and command: plain sockets, and with
// TLS between the two. Compared with direct ssh to sshd and the product in the same rounds.
import { join } from 'node:path'
import { type Hop, startRelays } from '../floor/relays.ts'
import { type Candidate, interleave } from '../measure/interleave.ts'
import type { BenchOptions } from '../options.ts'
import { cpuSeconds } from '../measure/proc.ts'
import type { Row } from '../row.ts'
import { type Scene, inScene } from '../site/scene.ts'
import { pairedRatios, spreadOf } from '../measure/statistics.ts'
import { type Direction, move } from './bulk.ts'

const HOPS = ['tcp', 'tls'] as const satisfies readonly Hop[]
const WAYS = ['bowline', 'sshd'] as const
const CIPHER = 'aes128-gcm@openssh.com'

export function measureFloor(options: BenchOptions): Promise<Row[]> {
  return inScene(options, 'floor', async (scene) => [
    ...(await measureOne(scene, options, 'down')),
    ...(await measureOne(scene, options, 'up')),
  ])
}

async function measureOne({ site, ssh }: Scene, options: BenchOptions, direction: Direction): Promise<Row[]> {
  const bytes = options.megabytes * 1e6
  const files = ['tls.crt', 'tls.key'].map((name) => join(site.dataFolder, name))
  await using parts = new AsyncDisposableStack()
  const candidates: Candidate[] = []
  const cpu: Record<Hop, number[]> = { tcp: [], tls: [] }
  for (const hop of HOPS) {
    const relays = parts.use(await startRelays(hop, files))
    const used = async (): Promise<number> =>
      (await cpuSeconds(relays.gateway.pid)) + (await cpuSeconds(relays.device.pid))
    candidates.push({
      name: hop,
      async measure() {
        const before = await used()
        const milliseconds = await relays.move(direction, bytes)
        cpu[hop].push(((await used()) - before) / (bytes / 1e9))
        return bytes / 1e3 / milliseconds
      },
    })
  }
  for (const way of WAYS) {
    const connection = parts.use(await ssh.connect(way, ['-c', CIPHER]))
    candidates.push({
      name: way,
      measure: async () => bytes / 1e3 / (await move(connection, direction, bytes)),
    })
  }
  const rates = await interleave(candidates, options.repeats, (name, rate) =>
    options.say(`floor ${direction} ${name}: ${rate.toFixed(0)} MB/s`),
  )
  const ratio = (ours: Hop | 'bowline', theirs: Hop | 'sshd'): Pick<Row, 'unit' | 'measured' | 'note' | 'samples'> => {
    const [one, other] = [rates.get(ours) ?? [], rates.get(theirs) ?? []]
    return {
      unit: 'ratio',
      measured: spreadOf(pairedRatios(one, other)),
      note: `${spreadOf(one).median.toFixed(0)} to ${spreadOf(other).median.toFixed(0)} MB/s`,
      samples: { [`${ours} MB/s`]: one, [`${theirs} MB/s`]: other },
    }
  }
  const floors = HOPS.flatMap((hop): Row[] => {
    // The first value belongs to the warm-up round.
    const seconds = cpu[hop].slice(1)
    return [
      {
        id: `floor.${hop}.${direction}`,
        work: `relays of Node, ${hop}, ${direction}`,
        peer: 'sshd',
        ...ratio(hop, 'sshd'),
      },
      {
        id: `floor.${hop}.${direction}.cpu`,
        work: `CPU of both relays, ${hop}, ${direction}`,
        peer: '',
        unit: 'secondsPerGb',
        measured: spreadOf(seconds),
        note: '',
        samples: { 's/GB': seconds },
      },
    ]
  })
  const ours: Row = {
    id: `floor.bowline.${direction}`,
    work: `bulk ${direction}, aes128-gcm`,
    peer: 'relays of Node, tls',
    ...ratio('bowline', 'tls'),
  }
  return [...floors, ours]
}
