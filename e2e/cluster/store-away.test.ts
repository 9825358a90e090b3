// The S3 store is away while sessions are recorded: each node keeps what it has on its own disk, and uploads it later.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { SessionUid } from '@bowline/contract/schemas/common'
import { type Swift, swiftMissing } from '@bowline/testkit/swift'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { newestSession } from '../support/newest-session.ts'
import { postgresPrograms } from '../support/postgres.ts'
import { root, withoutSettings } from '../support/product.ts'
import type { Server } from '../support/server.ts'
import { startEcho } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Recorder, recordHistory } from './history/recorder.ts'
import { startStore } from './store.ts'

const undo = cleanups()
let swift: Swift
let cluster: Cluster
let agent: Agent
let a: Server
let b: Server
let history: Recorder
showOnFailure(() => ({ a: a?.process, b: b?.process, agent: agent?.process }))

const metric = async ({ origin }: Server, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await fetch(`${origin}/metrics`)).text())?.[1])
const degraded = async ({ origin }: Server): Promise<string | null> =>
  (await fetch(`${origin}/healthcheck`)).headers.get('x-degraded')

const isStored = (uid: SessionUid): boolean =>
  cluster.postgres.sql(`select place from recordings where session_uid = '${uid}'`, 'bowline').trim() === 'object'

/** The recording as a node plays it; the status where it does not. */
async function played(at: Server, uid: SessionUid): Promise<string> {
  const { open } = await at.client()
  return open(operations.sessions.getRecord, { params: { uid, seat: '0' }, query: { format: 'cast3' } }).then(
    (answer) => answer.text(),
    (error: unknown) => String(error),
  )
}

/** What a node says when it verifies the recording. */
async function verdict(at: Server, uid: SessionUid): Promise<string> {
  const { call } = await at.client()
  return call(operations.sessions.verifyRecord, { params: { uid, seat: '0' } }).then(
    ({ body }) => body.result,
    (error: unknown) => String(error),
  )
}

/** A session through the first node that echoes a line, to its end. */
async function recorded(line: string): Promise<SessionUid> {
  const session = await startEcho({ ...agent.target, port: a.ssh.port })
  await session.echo(line)
  session.end()
  expect((await session.result).code).toBe(0)
  const client = await b.client()
  return until('the recording is sealed', async () => {
    const newest = await newestSession(client)
    return newest?.closed && newest.recorded && newest.uid
  })
}

/** What `bowline doctor` says of the store, beside the first node. */
function doctor(): unknown {
  const { stdout } = spawnSync(process.execPath, ['apps/server/src/main.ts', 'doctor', '--json'], {
    cwd: root,
    env: { ...withoutSettings(process.env), ...cluster.settings(0) },
    encoding: 'utf8',
  })
  return (JSON.parse(stdout) as { check: string }[]).find(({ check }) => check === 'S3 store')
}

const missing = postgresPrograms ? swiftMissing() : 'postgresql is not installed'

describe.skipIf(missing)(`two nodes and their store (${missing ?? 'Swift'})`, () => {
  beforeAll(async () => {
    const store = await startStore()
    ;({ swift } = store)
    undo(() => swift.close())
    const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-store-'))
    undo(() => rm(folder, { recursive: true, force: true }))
    cluster = await startCluster(2, store.settings, async (index) => ({
      BOWLINE_RECORDINGS_DIR: join(folder, String(index)),
    }))
    undo(() => cluster.remove())
    const [first, second] = cluster.nodes
    if (!first || !second) throw new Error('there are no two nodes')
    ;[a, b] = [first, second]
    agent = await startAgent(b, 'recorded')
    undo(() => agent.remove())
    history = recordHistory(cluster, [agent])
    undo(() => history.stop())
    const { call } = await a.client()
    await call(operations.namespaces.update, {
      params: { tenant: a.tenant },
      body: { settings: { session_record: true } },
    })
  })
  it('plays them from the disk of their node, says so, and has them all when it is back, after kill -9 too', async () => {
    const before = await recorded('while the store is there')
    await until('the store has it', () => isStored(before))

    await swift.stop()
    const away = await recorded('while the store is away')
    await until('its outage is told', async () => (await metric(a, 'bowline_recording_store_up')) === 0)
    expect(await metric(a, 'bowline_recording_uploads_waiting')).toBe(1)
    expect(await degraded(a)).toBe('recording-store')
    expect(doctor()).toMatchObject({ status: 'fail', message: expect.stringContaining('does not answer') })
    expect([await played(a, away), await verdict(a, away)]).toEqual([expect.stringContaining('is away'), 'intact'])
    expect([await played(b, away), await verdict(b, away)]).toEqual([expect.stringContaining('is away'), 'intact'])
    expect(await played(a, before)).toContain('the store of recordings does not answer')

    await a.process.end('SIGKILL')
    // A node without the file cannot know whether it is missing.
    const elsewhere = expect.stringContaining('the server with the recording cannot be reached')
    expect([await played(b, away), await verdict(b, away)]).toEqual([elsewhere, elsewhere])
    await a.start()
    expect([await played(a, away), await verdict(a, away)]).toEqual([expect.stringContaining('is away'), 'intact'])
    await swift.start()
    await until('the store has it', () => isStored(away), 60_000)
    expect(await played(b, away)).toContain('while the store is away')
    expect([await verdict(a, away), await verdict(b, away)]).toEqual(['intact', 'intact'])
    await until('its return is told', async () => (await metric(a, 'bowline_recording_store_up')) === 1)
    expect([await metric(a, 'bowline_recording_uploads_waiting'), await degraded(a)]).toEqual([0, 'none'])
    expect(await history.violations()).toEqual([])
  })
})
