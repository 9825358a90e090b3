// What the agent of a device takes while it waits: the bundle that devices install, linked, without sessions.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildStale } from '../../../scripts/build.ts'
import { makeDevicePassword, startAgent } from '../agent.ts'
import { orItsEnd, run } from '../child.ts'
import { readMetrics } from '../metrics.ts'
import type { BenchOptions } from '../options.ts'
import { memoryOf } from '../proc.ts'
import type { Row } from '../row.ts'
import { root, startSite } from '../site.ts'
import { spreadOf } from '../statistics.ts'

/** After this an agent has done what it does at its start. */
const SETTLE_MS = 5_000

export async function measureAgent(options: BenchOptions): Promise<Row[]> {
  const folder = join(options.folder, 'agent')
  await mkdir(join(folder, 'bundle'), { recursive: true, mode: 0o711 })
  await buildStale(['agent'])
  await run('tar', [
    '-xzf',
    join(root, `apps/agent/dist/bundle-linux-${process.arch}.tar.gz`),
    '-C',
    join(folder, 'bundle'),
  ])
  const password = await makeDevicePassword()
  await using site = await startSite({ folder: join(folder, 'site') })
  const resident: number[] = []
  for (let repeat = 0; repeat < options.repeats; repeat += 1) {
    await using agent = await startAgent(site, password, {
      program: join(folder, 'bundle/agent.js'),
      nodeFlags: options.nodeFlags('agent'),
    })
    await orItsEnd(agent, 'the agent', linked(site.origin))
    await pause(SETTLE_MS)
    resident.push((await memoryOf(agent.pid)).resident / 1e6)
    options.say(`agent: ${resident.at(-1)?.toFixed(1)} MB`)
  }
  return [
    {
      id: 'agent.resident',
      work: 'memory of an idle agent (RSS)',
      peer: '',
      unit: 'MB',
      measured: spreadOf(resident),
      note: 'of which the greater part is the program file of Node',
      samples: { MB: resident },
    },
  ]
}

async function linked(origin: string): Promise<void> {
  while ((await readMetrics(origin)).agents === 0) await pause(50)
}
