// Large volumes: big files, many commands on one connection, many connections, stalled readers.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, startAgent } from './support/agent.ts'
import { cleanups } from './support/cleanup.ts'
import { familyOf, residentBytes } from './support/proc.ts'
import { type Server, startServer } from './support/server.ts'
import { finish, pipeThrough, shareConnection, startEcho, startSsh } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

const MEGABYTE = 1_048_576
let folder: string
let server: Server
let agent: Agent
const undo = cleanups()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-volume-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  const env = { BOWLINE_MAX_CHANNELS: '120', BOWLINE_MAX_SESSIONS_PER_ACCOUNT: '120' }
  server = await startServer({ env })
  undo(() => server.remove())
  agent = await startAgent(server, 'roomy')
  undo(() => agent.remove())
})
showOnFailure(() => ({ server: server.process, agent: agent.process }))

describe('with limits raised by the configuration', () => {
  it('transfers 100 MB down, up, and both ways at once, unchanged', async () => {
    const bytes = 100 * MEGABYTE
    const { path, sha256 } = await randomFile(bytes)
    const same = { code: 0, stderr: '', bytes, sha256 }
    expect(await pipeThrough(agent.target, `cat ${path}`)).toEqual(same)
    const copy = `${path}.copy`
    const up = await pipeThrough(agent.target, `cat > ${copy}; sha256sum < ${copy}`, createReadStream(path))
    expect(up).toMatchObject({ code: 0, stderr: '', sha256: sha256Of(`${sha256}  -\n`) })
    expect(await pipeThrough(agent.target, 'cat', createReadStream(path))).toEqual(same)
  })

  it('carries 100 commands at once on one connection', async () => {
    const shared = await shareConnection(agent.target, join(folder, 'shared'))
    onTestFinished(() => shared.close().then(() => undefined))
    const commands = Array.from({ length: 100 }, (_, index) => {
      const child = shared.start(`echo up; read word; echo "$word ${index}"; exit ${index}`)
      return { child, result: finish(child) }
    })
    let up = 0
    for (const { child } of commands) child.stdout.once('data', () => (up += 1))
    await until('all commands run', () => up === commands.length, 60_000)
    for (const { child } of commands) child.stdin.end('number\n')
    const results = await Promise.all(commands.map(({ result }) => result))
    expect(results.map(({ code, stdout }) => [code, stdout.toString()])).toEqual(
      commands.map((_, index) => [index, `up\nnumber ${index}\n`]),
    )
  })

  it('runs 50 connections at once', async () => {
    const sessions = await Promise.all(Array.from({ length: 50 }, () => startEcho(agent.target)))
    await Promise.all(sessions.map((session, index) => session.echo(`line ${index}`)))
    for (const session of sessions) session.end()
    const results = await Promise.all(sessions.map((session) => session.result))
    expect(results.map(({ code }) => code)).toEqual(Array(50).fill(0))
    expect(results.map(({ stdout }) => stdout.toString())).toEqual(results.map((_, index) => `ready\nline ${index}\n`))
  })

  it('isolates a stalled reader: others keep running and memory stays bounded', async () => {
    const { path, sha256 } = await randomFile(50 * MEGABYTE)
    // The first reading includes what any transfer allocates.
    await pipeThrough(agent.target, `cat ${path}`)
    const before = await memory()
    const stalled = startSsh(agent.target, ['exec yes'])
    const ended = once(stalled, 'close')
    await once(stalled.stdout, 'data')
    stalled.stdout.resume()
    const [, reader = 0] = await familyOf(stalled.pid ?? 0)
    process.kill(reader, 'SIGSTOP')
    try {
      expect((await pipeThrough(agent.target, `cat ${path}`)).sha256).toBe(sha256)
      const after = await memory()
      expect(after.server - before.server).toBeLessThan(64 * MEGABYTE)
      expect(after.agent - before.agent).toBeLessThan(64 * MEGABYTE)
    } finally {
      process.kill(reader, 'SIGKILL')
    }
    await ended
  })
})

async function memory(): Promise<{ server: number; agent: number }> {
  return { server: await residentBytes(server.process.pid), agent: await residentBytes(agent.process.pid) }
}

function sha256Of(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A new file of random bytes. */
async function randomFile(bytes: number): Promise<{ path: string; sha256: string }> {
  const path = join(folder, randomBytes(8).toString('hex'))
  const file = await open(path, 'w')
  const hash = createHash('sha256')
  for (let left = bytes; left > 0; left -= MEGABYTE) {
    const chunk = randomBytes(Math.min(left, MEGABYTE))
    hash.update(chunk)
    await file.write(chunk)
  }
  await file.close()
  return { path, sha256: hash.digest('hex') }
}
