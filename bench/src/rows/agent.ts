// The agent's footprint on a device: the bundle to download, its size on disk, and memory while it is linked and idle,
// without sessions.
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildStale, OWN_AGENT } from '../../../scripts/build.ts'
import { makeDevicePassword, startAgent } from '../site/agent.ts'
import { orItsEnd, run } from '../site/child.ts'
import { readMetrics } from '../measure/metrics.ts'
import type { BenchOptions } from '../options.ts'
import { memoryOf } from '../measure/proc.ts'
import type { Row } from '../row.ts'
import { root, startSite } from '../site/site.ts'
import { spreadOf } from '../measure/statistics.ts'

/** An agent has finished its startup work after this. */
const SETTLE_MS = 5_000

export async function measureAgent(options: BenchOptions): Promise<Row[]> {
  const folder = join(options.folder, 'agent')
  await mkdir(join(folder, 'bundle'), { recursive: true, mode: 0o711 })
  await buildStale([OWN_AGENT])
  const archive = join(root, `apps/agent/dist/bundle-linux-${process.arch}.tar.gz`)
  await run('tar', ['-xzf', archive, '-C', join(folder, 'bundle')])
  const [version = ''] = await readdir(join(folder, 'bundle'))
  const bundle = join(folder, 'bundle', version)
  const password = await makeDevicePassword()
  await using site = await startSite({ folder: join(folder, 'site') })
  const resident: number[] = []
  const own: number[] = []
  for (let repeat = 0; repeat < options.repeats; repeat += 1) {
    await using agent = await startAgent(site, password, {
      executable: join(bundle, 'bowline'),
    })
    await orItsEnd(agent, 'the agent', linked(site.origin))
    await pause(SETTLE_MS)
    const memory = await memoryOf(agent.pid)
    resident.push(memory.resident / 1e6)
    own.push(memory.anonymous / 1e6)
    options.say(`agent: ${resident.at(-1)?.toFixed(1)} MB`)
  }
  const rows: readonly [string, string, readonly number[], string][] = [
    ['resident', 'memory of an idle agent (RSS)', resident, 'pages of the program file among them'],
    ['own', 'memory of an idle agent that is its own (anonymous)', own, ''],
    ['archive', 'size of the agent bundle to fetch', [await megabytesOf([archive])], '.tar.gz'],
    [
      'bundle',
      'size of the agent bundle on disk',
      [await megabytesOf((await readdir(bundle)).map((file) => join(bundle, file)))],
      'Node and the native module included',
    ],
  ]
  return rows.map(([id, work, samples, note]) => ({
    id: `agent.${id}`,
    work,
    peer: '',
    unit: 'MB',
    measured: spreadOf([...samples]),
    note,
    samples: { MB: [...samples] },
  }))
}

async function megabytesOf(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  return sizes.reduce((total, size) => total + size, 0) / 1e6
}

async function linked(origin: string): Promise<void> {
  while ((await readMetrics(origin)).agents === 0) await pause(50)
}
