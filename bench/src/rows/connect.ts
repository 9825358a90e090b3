// Duration of `ssh` for a command that does nothing: connection, key exchange, login, one process.
import { type Candidate, interleave } from '../measure/interleave.ts'
import type { BenchOptions } from '../options.ts'
import { cpuSeconds } from '../measure/proc.ts'
import type { Row } from '../row.ts'
import { inScene } from '../site/scene.ts'
import type { Way } from '../ssh-client.ts'
import { pairedRatios, spreadOf } from '../measure/statistics.ts'
import { TARGETS } from '../targets.ts'

/** A single connection is too short to measure: a round has several. */
const CONNECTIONS_PER_REPEAT = 5

export function measureConnect(options: BenchOptions): Promise<Row[]> {
  return inScene(options, 'connect', async ({ site, ssh }) => {
    const ways: readonly Way[] = ['bowline', 'sshd-password', 'sshd']
    const candidates = ways.map((name): Candidate => ({
      name,
      measure: async () => (await ssh.run(name, 'true')).milliseconds,
    }))
    const times = await interleave(candidates, options.repeats * CONNECTIONS_PER_REPEAT)
    const ours = times.get('bowline') ?? []
    const row = (way: Way, peer: string): Row => {
      const theirs = times.get(way) ?? []
      return {
        id: `connect.${way}`,
        work: 'connect, sign in, run true, exit',
        peer,
        unit: 'ratio',
        measured: spreadOf(pairedRatios(ours, theirs)),
        ...(way === 'sshd-password' ? { target: TARGETS.connect } : {}),
        note: `${spreadOf(ours).median.toFixed(1)} to ${spreadOf(theirs).median.toFixed(1)} ms`,
        samples: { 'bowline ms': ours, [`${way} ms`]: theirs },
      }
    }

    const before = await cpuSeconds(site.server.pid)
    const count = options.repeats * CONNECTIONS_PER_REPEAT
    for (let index = 0; index < count; index += 1) await ssh.run('bowline', 'true')
    const perConnection = ((await cpuSeconds(site.server.pid)) - before) * (1_000 / count)
    return [
      row('sshd-password', 'sshd, same password'),
      row('sshd', 'sshd, with a key'),
      {
        id: 'connect.cpu',
        work: 'CPU of the server per such connection',
        peer: '',
        unit: 'ms',
        measured: spreadOf([perConnection]),
        note: `mean of ${count}; key exchange, login, rows of the session`,
        samples: { ms: [perConnection] },
      },
    ]
  })
}
