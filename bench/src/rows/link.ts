// The link alone, without SSH and without a device: the figures of link-raw.ts as rows.
import { join } from 'node:path'
import { z } from 'zod'
import { run } from '../site/child.ts'
import type { BenchOptions } from '../options.ts'
import type { Row } from '../row.ts'
import { root } from '../site/site.ts'
import { TARGETS } from '../targets.ts'

const Figures = z.object({ median: z.number(), least: z.number(), most: z.number() })
const LinkRaw = z.object({
  results: z.array(
    z.object({
      carrier: z.enum(['link', 'bare']),
      transport: z.string(),
      direction: z.enum(['down', 'up']),
      cpuSecondsPerGb: Figures,
      megabytesPerSecond: Figures,
    }),
  ),
})

export async function measureLink(options: BenchOptions): Promise<Row[]> {
  const script = join(root, 'bench/src/link-raw.ts')
  const sizes = ['--megabytes', String(options.megabytes), '--repeats', String(options.repeats)]
  const { stdout } = await run(process.execPath, [script, '--json', ...sizes])
  const { results } = LinkRaw.parse(JSON.parse(stdout.toString()))
  return results
    .filter(({ carrier }) => carrier === 'link')
    .map(({ transport, direction, cpuSecondsPerGb, megabytesPerSecond }): Row => ({
      id: `link.${transport}.${direction}`,
      work: `CPU of the link's server side, ${transport}, ${direction}`,
      peer: '',
      unit: 'secondsPerGb',
      measured: cpuSecondsPerGb,
      // Plain WebSocket with random masks: only on this machine. Traffic through a TLS proxy is masked with zeros.
      ...(transport === 'wss' ? { target: TARGETS.cpu.link[direction] } : {}),
      note: `${megabytesPerSecond.median.toFixed(0)} MB/s`,
      samples: {},
    }))
}
