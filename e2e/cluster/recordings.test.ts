// Recordings of sessions at one node, played by the other: while the session runs, and afterwards.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { SessionUid } from '@bowline/contract/schemas/common'
import { swiftMissing } from '@bowline/testkit/swift'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import type { Server } from '../support/server.ts'
import { startEcho } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { startStore } from './store.ts'

const undo = cleanups()
let cluster: Cluster
let agent: Agent
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process, agent: agent?.process }))

async function withStore(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-apart-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  const { swift, settings } = await startStore()
  undo(() => swift.close())
  return startCluster(2, settings, async (index) => ({ BOWLINE_RECORDINGS_DIR: join(folder, String(index)) }))
}

function node(index: number): Server {
  const found = cluster.nodes[index]
  if (!found) throw new Error(`there is no node ${index}`)
  return found
}

/** The recording as a node plays it; '' while there is none. */
async function played(at: Server, uid: SessionUid): Promise<string> {
  const { open } = await at.client()
  const params = { uid, seat: '0' }
  return open(operations.sessions.getRecord, { params, query: { format: 'cast3', after: '0' } }).then(
    (answer) => answer.text(),
    () => '',
  )
}

const missing = postgresPrograms ? swiftMissing() : 'postgresql is not installed'

describe.skipIf(missing).each([
  ['in a folder that they share', async () => startCluster(2)],
  ['each on its own disk, and in a store', withStore],
] as const)(
  `a recorded session of another node, where nodes have recordings %s (${missing ?? 'Swift'})`,
  (_, start) => {
    beforeAll(async () => {
      const made = await start()
      undo(() => made.remove())
      cluster = made
      const started = await startAgent(node(1), 'recorded')
      undo(() => started.remove())
      agent = started
      const { call } = await node(0).client()
      const settings = { session_record: true }
      await call(operations.namespaces.update, { params: { tenant: node(0).tenant }, body: { settings } })
    })

    it('can be watched while it runs, and is played and verified when it has ended', async () => {
      const session = await startEcho({ ...agent.target, port: node(0).ssh.port })
      await session.echo('seen by the other node')
      const { call } = await node(1).client()
      const uid = await until('the session is listed', async () => {
        const { body } = await call(operations.sessions.list, { query: {} })
        return body.find(({ active, recorded }) => active && recorded)?.uid
      })
      await until('it is watched', async () => (await played(node(1), uid)).includes('seen by the other node'))
      await session.echo('and what follows')
      await until('it goes on', async () => (await played(node(1), uid)).includes('and what follows'))
      session.end()
      expect((await session.result).code).toBe(0)
      const verdict = await until('it is sealed', async () => {
        const { body } = await call(operations.sessions.verifyRecord, { params: { uid, seat: '0' } })
        return body.result === 'intact' && body.result
      })
      expect([verdict, (await played(node(1), uid)).includes('and what follows')]).toEqual(['intact', true])
    })
  },
)
