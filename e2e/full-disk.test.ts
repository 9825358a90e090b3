// A full disk under the data folder: calls fail cleanly, nothing that was acknowledged is lost, and everything works
// again as soon as there is room. Needs its own file system, which only root can mount.
import { execFileSync } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent } from './support/agent.ts'
import { cleanups } from './support/cleanup.ts'
import { postmasterPid } from './support/proc.ts'
import { type Answer, pendingUids, register, startWriter } from './support/registrations.ts'
import { type Server, startServer } from './support/server.ts'
import { ssh, startEcho } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

const isRoot = process.getuid?.() === 0
let disk: string
let server: Server
let agent: Agent

const undo = cleanups()

beforeAll(async () => {
  if (!isRoot) return
  disk = await mkdtemp(join(tmpdir(), 'bowline-e2e-disk-'))
  undo(() => rm(disk, { recursive: true, force: true }))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=224m,mode=755', 'bowline', disk])
  undo(() => execFileSync('umount', ['--lazy', disk]))
  server = await startServer({ dataFolder: join(disk, 'data') })
  undo(() => server.remove())
  agent = await startAgent(server, 'full')
  undo(() => agent.remove())
})
showOnFailure(() => ({ server: server.process }))

/** Fills the disk. @returns frees the space */
async function fillDisk(): Promise<() => Promise<void>> {
  const path = join(disk, 'ballast')
  const file = await open(path, 'w')
  for (const size of [1_048_576, 4_096]) {
    const chunk = Buffer.alloc(size, 1)
    while (
      await file.write(chunk).then(
        ({ bytesWritten }) => bytesWritten === size,
        () => false,
      )
    );
  }
  await file.close()
  return () => rm(path)
}

describe.skipIf(!isRoot)('a full disk (needs root, to mount one)', () => {
  it('fails calls cleanly, keeps sessions running and loses nothing; recovers once space is freed', async () => {
    const session = await startEcho(agent.target)
    const empty = await fillDisk()
    const writer = startWriter(server, 4)
    const failures = await writer.done
    for (const failure of failures) {
      expect(failure).not.toBeInstanceOf(Error)
      const { status, body } = failure as Answer
      expect(status).toBe(503)
      expect(JSON.parse(body)).toMatchObject({ code: 'UNAVAILABLE' })
      expect(body).not.toMatch(/postgres|relation|No space|SELECT|\bat \//i)
    }
    await session.echo('while the disk is full')
    process.kill(await postmasterPid(server.dataFolder), 'SIGKILL')
    await until('the outage shows', async () => (await fetch(`${server.origin}/healthcheck`)).status === 503)
    await until('the log names the cause', () =>
      /the disk that holds \S+ is full\. Free some space/.test(server.process.output()),
    )
    await session.echo('while the disk is full and PostgreSQL cannot start')
    expect(server.process.child.exitCode).toBeNull()

    await empty()
    await until('registrations work again', async () => (await register(server, 'after')).status === 200)
    const kept = await pendingUids(await server.client())
    expect([...writer.acknowledged].filter((uid) => !kept.has(uid))).toEqual([])
    await session.echo('after')
    session.end()
    expect((await session.result).code).toBe(0)
    expect((await ssh(agent.target, ['echo works'])).stdout.toString()).toBe('works\n')
  })
})
