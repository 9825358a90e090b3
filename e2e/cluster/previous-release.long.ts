// By command only: an upgrade node by node, from the version that BOWLINE_PREVIOUS_RELEASE names (a tag, branch or commit;
// default: the commit before the newest migration) to this one, and a step back.
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { MIGRATIONS_FOLDER } from '../../apps/server/src/db/migrate.ts'
import { type Agent, startAgent, untilOnline } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { root } from '../support/product.ts'
import type { Server } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { startNumbered } from './numbered.ts'

const MINUTE_MS = 60_000
const SESSION_SECONDS = 15
const undo = cleanups()
let previous: string
let cluster: Cluster
/** The first is connected to the first node, the second to the second. */
let agents: readonly [Agent, Agent]
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process }))

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

/** The version to upgrade from. */
async function previousRelease(): Promise<string> {
  const named = process.env['BOWLINE_PREVIOUS_RELEASE']
  if (named !== undefined) return named
  const newest = (await readdir(MIGRATIONS_FOLDER)).toSorted().at(-1) ?? ''
  const file = `apps/server/src/db/migrations/${newest}`
  return `${git('log', '--diff-filter=A', '--format=%H', '-1', '--', file)}^`
}

function node(index: 0 | 1): Server {
  const found = cluster.nodes[index]
  if (!found) throw new Error('there are two nodes')
  return found
}

/** Restarts a node, with another version or not, while a session of the other node runs. */
async function restart(index: 0 | 1, checkout?: string): Promise<string> {
  const staying = index === 0 ? 1 : 0
  const running = await startNumbered(agents[staying].target, SESSION_SECONDS)
  await node(index).process.end()
  await node(index).start(checkout)
  const { code, wanted, got } = await running.ended
  expect([code, got]).toEqual([0, wanted])
  for (const agent of agents) {
    await untilOnline(await node(staying).client(), agent.device.uid)
    for (const { ssh: way } of cluster.nodes) {
      const { stdout, stderr } = await ssh({ ...agent.target, ...way }, ['echo works'])
      expect([stdout.toString(), stderr]).toEqual(['works\n', ''])
    }
  }
  return node(index).process.output()
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-previous-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  previous = join(folder, 'bowline')
  execFileSync('git', ['clone', '--quiet', root, previous])
  execFileSync('git', ['checkout', '--quiet', '--detach', git('rev-parse', await previousRelease())], { cwd: previous })
  execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit'], { cwd: previous, stdio: 'ignore' })
  cluster = await startCluster(2, {}, undefined, previous)
  undo(() => cluster.remove())
  agents = [await startAgent(node(0), 'at-first'), await startAgent(node(1), 'at-second')]
  undo(() => Promise.all(agents.map((agent) => agent.remove())))
}, 10 * MINUTE_MS)

it(
  'serves each device through nodes of both versions during an upgrade and after a step back',
  async () => {
    expect(await restart(0)).toContain('"ev":"database.migrated"')
    expect(await restart(1, previous), 'the version before, on the new schema').toContain('"ev":"database.newer"')
    expect(await restart(1)).not.toContain('"ev":"database.migrated"')
    expect(await restart(0, previous), 'a step back').toContain('"ev":"database.newer"')
    await restart(0)
  },
  10 * MINUTE_MS,
)
