// The disk for recordings of one node is full: that node tells it and does what the namespace's policy says; what runs on the
// other node is recorded to its end.
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { SessionUid } from '@bowline/contract/schemas/common'
import { swiftMissing } from '@bowline/testkit/swift'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { newestSession } from '../support/newest-session.ts'
import { postgresPrograms } from '../support/postgres.ts'
import type { Server } from '../support/server.ts'
import { ssh, startEcho } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Recorder, recordHistory } from './history/recorder.ts'
import { startNumbered } from './numbered.ts'
import { startStore } from './store.ts'
import { type Ground, laneThrough, prepareGround } from './traffic/lane.ts'
import { brokenOf, startTraffic } from './traffic/traffic.ts'

const isRoot = process.getuid?.() === 0
const undo = cleanups()
let folder: string
let cluster: Cluster
let agent: Agent
let ground: Ground
let full: Server
let other: Server
let history: Recorder
showOnFailure(() => ({ full: full?.process, other: other?.process, agent: agent?.process }))

const degraded = async ({ origin }: Server): Promise<string | null> =>
  (await fetch(`${origin}/healthcheck`)).headers.get('x-degraded')
const room = async ({ origin }: Server): Promise<number> =>
  Number(/^bowline_recording_disk_free_bytes (\S+)$/m.exec(await (await fetch(`${origin}/metrics`)).text())?.[1])
const through = (node: Server) => ({ ...agent.target, port: node.ssh.port })

async function policy(recording: 'best-effort' | 'required'): Promise<void> {
  const { call } = await other.client()
  const settings = { session_record: true, recording_policy: recording }
  await call(operations.namespaces.update, { params: { tenant: other.tenant }, body: { settings } })
}

/** Uses up the room for recordings on the first node's disk, up to its last block. */
async function fill(): Promise<() => Promise<void>> {
  const disk = join(folder, '0')
  const filler = join(disk, 'filler')
  const { bavail, bsize } = await statfs(disk)
  // A recording may take the last blocks in the meantime.
  await writeFile(filler, Buffer.alloc(bavail * bsize)).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  })
  return () => rm(filler)
}

async function verdict(uid: SessionUid) {
  const { call } = await other.client()
  const { body } = await call(operations.sessions.verifyRecord, { params: { uid, seat: '0' } })
  return body
}

function missing(): string | undefined {
  if (!isRoot) return 'needs root, to mount a disk'
  return postgresPrograms ? swiftMissing() : 'postgresql is not installed'
}

describe.skipIf(missing())(`a full disk at one of two nodes (${missing() ?? 'Swift'})`, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-disks-'))
    undo(() => rm(folder, { recursive: true, force: true }))
    for (const index of ['0', '1']) {
      const disk = join(folder, index)
      await mkdir(disk)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=700', 'bowline', disk])
      undo(() => execFileSync('umount', ['--lazy', disk]))
    }
    const { swift, settings } = await startStore()
    undo(() => swift.close())
    cluster = await startCluster(2, { ...settings, BOWLINE_TUNNELS_DOMAIN: 'tunnels.localhost' }, async (index) => ({
      BOWLINE_RECORDINGS_DIR: join(folder, String(index)),
    }))
    undo(() => cluster.remove())
    const [first, second] = cluster.nodes
    if (!first || !second) throw new Error('there are no two nodes')
    ;[full, other] = [first, second]
    agent = await startAgent(other, 'recorded')
    undo(() => agent.remove())
    const files = join(folder, 'files')
    await mkdir(files)
    ground = await prepareGround({ agent, folder: files, steady: other, seconds: 15 }, undo)
    history = recordHistory(cluster, [agent])
    undo(() => history.stop())
  })

  it('ends, where recording is required, what runs there, and nothing of the other node', async () => {
    await policy('required')
    expect([await degraded(full), (await room(full)) > 0]).toEqual(['none', true])
    const there = await startEcho(through(full))
    const elsewhere = await startNumbered(through(other), 15)
    const empty = await fill()
    let lines = 0
    await until('the session ends', () =>
      there.echo(`still here ${(lines += 1)}`).then(
        () => false,
        () => true,
      ),
    )
    expect((await there.result).stderr).toContain('must be recorded')
    expect([await degraded(full), (await room(full)) < 0]).toEqual(['recording-disk', true])
    expect([await degraded(other), (await room(other)) > 0]).toEqual(['none', true])
    expect(await ssh(through(full), ['echo never'])).toMatchObject({ code: 255, stdout: Buffer.alloc(0) })
    expect((await ssh(through(other), ['echo there'])).stdout.toString()).toBe('there\n')
    const numbered = await elsewhere.ended
    history.output(numbered)
    expect(numbered.code).toBe(0)

    await empty()
    await until('the health check reports no full disk', async () => (await degraded(full)) === 'none')
    expect((await ssh(through(full), ['echo again'])).stdout.toString()).toBe('again\n')
  })

  it('cuts off a recording that need not be, and the session goes on byte for byte', async () => {
    await policy('best-effort')
    const running = await startNumbered(through(full), 15)
    const client = await other.client()
    // Nothing else has a session yet: it is the newest one.
    const uid = await until('it is recorded', async () => {
      const newest = await newestSession(client)
      return newest?.active && newest.recorded && newest.uid
    })
    const elsewhere = await startTraffic(laneThrough(ground, 'by the other node', other))
    const empty = await fill()
    const { code, ...output } = await running.ended
    history.output(output)
    expect(code).toBe(0)
    const all = await elsewhere.ended
    for (const one of all) history.output(one)
    expect(brokenOf(all)).toEqual([])
    await empty()
    await until('the recording is sealed', async () => (await verdict(uid)).result === 'intact')
    expect((await verdict(uid)).complete).toBe(false)
    expect(await history.violations()).toEqual([])
  })
})
