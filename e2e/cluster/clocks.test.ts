// Nodes whose clocks are wrong by five minutes, in both directions, and are set while people work. The database and the
// device have the right time. Needs Debian's package faketime.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, acceptDevice, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import { registerKey } from '../support/registered-key.ts'
import type { Server } from '../support/server.ts'
import { type SshTarget, ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Recorder, recordHistory } from './history/recorder.ts'
import { type Ground, laneThrough, prepareGround } from './traffic/lane.ts'
import { brokenOf, startTraffic } from './traffic/traffic.ts'

const FIVE_MINUTES = 300
const AHEAD = `+${FIVE_MINUTES}`
const BEHIND = `-${FIVE_MINUTES}`
const missing = spawnSync('faketime', ['--version']).status === 0 && postgresPrograms ? undefined : 'not installed'
const undo = cleanups()
let folder: string
let cluster: Cluster
let agent: Agent
let ground: Ground
let history: Recorder
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process, agent: agent?.process }))

const through = (node: Server): SshTarget => ({ ...agent.target, port: node.ssh.port })
const countOf = ({ process }: Server, event: string): number => process.countOf(event)
const clockFile = (index: number): string => join(folder, `clock-${index}`)
/** Seconds that the machine's clock is ahead of this one's, as the header Date says. */
const aheadOf = async ({ origin }: Server): Promise<number> =>
  (Date.parse((await fetch(`${origin}/healthcheck`)).headers.get('date') ?? '') - Date.now()) / 1_000

/** Environment of a process whose clock a file sets, in seconds from the right time; durations are not touched. */
function clockOf(file: string): Record<string, string> {
  const library = execFileSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim()
  const settings = { FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
  return { LD_PRELOAD: library, ...settings }
}

/** Logins by password and by a registered key, whose statement the device judges by its clock. */
async function logins(node: Server): Promise<string[]> {
  const byKey = ['-i', join(folder, 'key'), '-o', 'PubkeyAuthentication=yes', '-o', 'BatchMode=yes']
  const results = [
    await ssh(through(node), ['echo password']),
    await ssh(through(node), ['echo key'], { options: byKey }),
  ]
  return results.map(({ stdout, stderr }) => `${stdout}${stderr}`)
}
const BOTH = ['password\n', 'key\n']

describe.skipIf(missing)('nodes with wrong clocks (needs the packages postgresql and faketime)', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-clocks-'))
    undo(() => rmSync(folder, { recursive: true }))
    cluster = await startCluster(2, { BOWLINE_TUNNELS_DOMAIN: 'tunnels.localhost' }, async (index) => {
      writeFileSync(clockFile(index), index === 0 ? AHEAD : BEHIND)
      return clockOf(clockFile(index))
    })
    undo(() => cluster.remove())
    cluster.prefer([1, 0])
    agent = await startAgent(cluster.balanced, 'on-time', acceptDevice, { BOWLINE_KEEPALIVE_INTERVAL: '5' })
    undo(() => agent.remove())
    await registerKey(await cluster.balanced.client(), join(folder, 'key'), 'person')
    const files = join(folder, 'files')
    mkdirSync(files)
    ground = await prepareGround({ agent, folder: files, steady: cluster.balanced, seconds: 8 }, undo)
    history = recordHistory(cluster, [agent])
    undo(() => history.stop())
  })

  it('take logins by password and by key on each, ten minutes apart', async () => {
    const [first, second] = await Promise.all(cluster.nodes.map(aheadOf))
    expect(first).toBeCloseTo(FIVE_MINUTES, -1)
    expect(second).toBeCloseTo(-FIVE_MINUTES, -1)
    expect(await Promise.all(cluster.nodes.map(logins))).toEqual([BOTH, BOTH])
  })

  it('lose no byte, no lease and no login when their clocks are set while they work', async () => {
    const lanes = cluster.nodes.map((node, index) => laneThrough(ground, `by node ${index}`, node))
    const running = await Promise.all(lanes.map(startTraffic))
    for (const [index, seconds] of [BEHIND, AHEAD].entries()) writeFileSync(clockFile(index), seconds)
    await until('the clocks are set', async () => {
      const [first = 0, second = 0] = await Promise.all(cluster.nodes.map(aheadOf))
      return first < 0 && second > 0
    })
    expect(await Promise.all(cluster.nodes.map(logins))).toEqual([BOTH, BOTH])
    for (const { ended } of running) {
      const all = await ended
      for (const one of all) history.output(one)
      expect(brokenOf(all)).toEqual([])
    }
    const events = ['node.buried', 'node.fenced', 'link.down']
    expect(cluster.nodes.flatMap((node) => events.map((event) => countOf(node, event)))).toEqual(Array(6).fill(0))
    expect(await history.violations()).toEqual([])
  })
})
