// Recordings survive failures: real shells, a real player, a killed server, a full disk.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { SessionUid } from '@bowline/contract/schemas/common'
import type { Session } from '@bowline/contract/schemas/session'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent, untilOnline } from './support/agent.ts'
import { cleanups } from './support/cleanup.ts'
import { newestSession } from './support/newest-session.ts'
import { type Server, startServer } from './support/server.ts'
import { finish, scp, ssh, startEcho, startSsh } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

const isRoot = process.getuid?.() === 0
const undo = cleanups()
let folder: string
let server: Server
let agent: Agent

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-recording-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  const recordings = join(folder, 'recordings')
  await mkdir(recordings)
  if (isRoot) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=700', 'bowline', recordings])
    undo(() => execFileSync('umount', ['--lazy', recordings]))
  }
  server = await startServer({ dataFolder: folder })
  undo(() => server.process.end())
  agent = await startAgent(server, 'recorded')
  undo(() => agent.remove())
  await set({ session_record: true })
})
showOnFailure(() => ({ server: server.process, agent: agent.process }))

async function set(settings: { session_record?: boolean; recording_policy?: 'best-effort' | 'required' }) {
  const { call } = await server.client()
  await call(operations.namespaces.update, { params: { tenant: server.tenant }, body: { settings } })
}

/** The newest session, as soon as it satisfies `is`. */
async function newest(is: (session: Session) => unknown): Promise<Session> {
  return until('the newest session is as expected', async () => {
    const session = await newestSession(await server.client())
    return session && is(session) ? session : undefined
  })
}

async function verdict(uid: SessionUid) {
  const { call } = await server.client()
  return (await call(operations.sessions.verifyRecord, { params: { uid, seat: '0' } })).body
}

/** The recording as asciicast v2. */
async function cast(uid: SessionUid): Promise<string> {
  const { open } = await server.client()
  return (await open(operations.sessions.getRecord, { params: { uid, seat: '0' }, query: { format: 'cast' } })).text()
}

/** What the real player shows of a recording. */
async function played(uid: SessionUid): Promise<Buffer> {
  const [file, output] = [join(folder, 'played.cast'), join(folder, 'played')]
  await writeFile(file, await cast(uid))
  // The player needs its own terminal, which script(1) provides.
  execFileSync('script', ['-qec', `asciinema cat ${file} > ${output}`, '/dev/null'], { stdio: 'ignore' })
  return readFile(output)
}

async function remove(uid: SessionUid): Promise<void> {
  const { call } = await server.client()
  await call(operations.sessions.removeRecord, { params: { uid, seat: '0' } })
}

describe('a recording', () => {
  it('replays a recording in asciinema byte for byte: a terminal, and a command without one', async () => {
    const script =
      'for i in $(seq 500); do printf "\\033[3%dm%d \u20ac \u{1f600} é\\033[0m\\n" $((i % 8)) $i; done; exit 4'
    for (const options of [['-tt'], []]) {
      const seen = await ssh(agent.target, [script], { options })
      expect(seen.code).toBe(4)
      const { uid } = await newest((session) => session.closed && session.recorded)
      await until('it is sealed', async () => (await verdict(uid)).result === 'intact')
      expect(await played(uid)).toEqual(seen.stdout)
      expect(await verdict(uid)).toMatchObject({ complete: true, bad_chunk: null })
      const counted = await newest((session) => session.uid === uid && session.recording?.output_bytes)
      const bytes = seen.stdout.length
      expect(counted.recording).toEqual({ share: 'all', output_bytes: bytes, recorded_bytes: bytes })
    }
  })

  it('records nothing that is typed without echo', async () => {
    const child = startSsh(agent.target, ['stty -echo; echo ask; read answer; echo "got ${#answer}"'], ['-tt'])
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const result = finish(child)
    await until('it asks', () => output.includes('ask'))
    child.stdin.write('a-very-secret-answer\n')
    expect((await result).stdout.toString()).toContain('got 20')
    const { uid } = await newest((session) => session.closed)
    await until('it is sealed', async () => (await verdict(uid)).result === 'intact')
    const text = await cast(uid)
    expect(text).toContain('got 20')
    expect(text).not.toContain('secret')
  })

  it.each([
    ['scp, which speaks SFTP', []],
    ['scp as it was of old', ['-O']],
  ])('logs each file of %s with size and hash, both ways', async (_, options) => {
    const [here, there, back] = ['here', 'there', 'back'].map((name) => join(folder, name)) as [string, string, string]
    const bytes = randomBytes(3_000_001)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await writeFile(here, bytes)
    for (const [operation, from, to] of [
      ['upload', here, `host:${there}`],
      ['download', `host:${there}`, back],
    ] as const) {
      expect(await scp(agent.target, options, from, to)).toMatchObject({ code: 0, stderr: '' })
      const { uid } = await newest((session) => session.closed && session.recorded)
      await until('it is sealed', async () => (await verdict(uid)).result === 'intact')
      const { call } = await server.client()
      const { body } = await call(operations.sessions.get, { params: { uid } })
      const files = body.events.items?.filter(({ type }) => type === 'file').map(({ data }) => data)
      expect(files).toMatchObject([{ operation, bytes: bytes.length, sha256, result: 'ok' }])
      // Signed and chained like everything else in the recording.
      expect(await cast(uid)).toContain(`3000001 bytes, sha256 ${sha256}: ok`)
    }
    expect(await readFile(back)).toEqual(bytes)
    await rm(there)
  })

  it('records no forwarded data, but logs in the session where it went and how much', async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    await once(echo, 'listening')
    const { port } = echo.address() as AddressInfo
    const through = await ssh(agent.target, [], { options: ['-W', `127.0.0.1:${port}`], input: 'twelve bytes' })
    expect(through.stdout.toString()).toBe('twelve bytes')
    echo.close()
    const session = await newest((one) => one.closed && one.events.types.includes('forward-end'))
    const { call } = await server.client()
    const { body } = await call(operations.sessions.get, { params: { uid: session.uid } })
    expect(body.events.items?.find(({ type }) => type === 'forward-end')?.data).toMatchObject({
      target: `127.0.0.1:${port}`,
      to_device: 12,
      to_person: 12,
    })
  })

  it('keeps everything the person has seen when the server is killed, sealed as cut off', async () => {
    // Like yes(1), but every line is unique, so a missing one shows.
    const child = startSsh(agent.target, ['while :; do echo $((i=i+1)); done'], ['-tt'])
    let seen = ''
    child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()))
    const result = finish(child)
    await until('it says much', () => seen.length > 1_000_000)
    const { uid } = await newest((session) => session.recorded)
    await server.process.end('SIGKILL')
    await result
    await server.start()
    await untilOnline(await server.client(), agent.device.uid)
    expect(await verdict(uid)).toMatchObject({ result: 'intact', complete: false, bad_chunk: null })
    // Output is recorded before it is shown: nothing that was shown is missing.
    expect((await played(uid)).toString().startsWith(seen)).toBe(true)
    expect((await newest((session) => session.uid === uid)).closed?.reason).toBe('server-restarted')
    await remove(uid)
  })
})

describe.skipIf(!isRoot)('a full disk for recordings (needs root, to mount one)', () => {
  /** Fills the space that recordings would need; others may still use their reserve. */
  async function fill(): Promise<() => Promise<void>> {
    const recordings = join(folder, 'recordings')
    const { bavail, bsize } = await statfs(recordings)
    const filler = join(recordings, 'filler')
    await writeFile(filler, Buffer.alloc(bavail * bsize - 1_000_000))
    return () => rm(filler)
  }

  it('ends no session on a full disk where recording is best effort, and marks the recording as cut off', async () => {
    const session = await startEcho(agent.target)
    const { uid } = await newest((one) => one.recorded)
    const empty = await fill()
    let lines = 0
    await until('recording has stopped', async () => {
      await session.echo(`still here ${(lines += 1)}`)
      const { call } = await server.client()
      const { body } = await call(operations.sessions.get, { params: { uid } })
      return body.events.types.includes('recording-failed')
    })
    await session.echo('and goes on')
    session.end()
    expect((await session.result).code).toBe(0)
    expect((await ssh(agent.target, ['echo unrecorded'])).stdout.toString()).toBe('unrecorded\n')
    expect((await newest((one) => one.closed)).recorded).toBe(false)
    await until('it is sealed', async () => (await verdict(uid)).result === 'intact')
    expect(await verdict(uid)).toMatchObject({ complete: false, bad_chunk: null })
    expect(server.process.output()).toContain('recording.failed')
    const { call } = await server.client()
    const { body: log } = await call(operations.audit.list, { query: { per_page: '100' } })
    expect(log.filter(({ action }) => action === 'recording.fail').map(({ target }) => target)).toContain(uid)
    await empty()
  })

  it('ends sessions with a cause on a full disk where recording is required, refuses new ones, and stays healthy', async () => {
    await set({ recording_policy: 'required' })
    const session = await startEcho(agent.target)
    const { uid } = await newest((one) => one.recorded && one.active)
    const empty = await fill()
    let lines = 0
    await until('it ends', () =>
      session.echo(`still here ${(lines += 1)}`).then(
        () => false,
        () => true,
      ),
    )
    const { code, stderr } = await session.result
    expect([code, stderr]).toEqual([255, expect.stringContaining('must be recorded')])
    expect((await newest((one) => one.uid === uid && one.closed)).closed).toMatchObject({
      by: 'policy',
      reason: 'recording',
      message: expect.stringContaining('disk'),
    })
    expect(await ssh(agent.target, ['echo never'])).toMatchObject({ code: 255, stdout: Buffer.alloc(0) })
    expect((await fetch(`${server.origin}/healthcheck`)).status).toBe(200)
    await empty()
    expect((await ssh(agent.target, ['echo again'])).stdout.toString()).toBe('again\n')
    await set({ recording_policy: 'best-effort' })
  })
})
