// Much at once: big files, many commands on one connection, many connections, readers that stop, and guessers.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { type Socket, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, startAgent } from './support/agent.ts'
import { cleanups } from './support/cleanup.ts'
import { familyOf, residentBytes } from './support/proc.ts'
import { type Server, startServer } from './support/server.ts'
import {
  type EchoSession,
  finish,
  guess,
  pipeThrough,
  shareConnection,
  ssh,
  startEcho,
  startSsh,
} from './support/ssh.ts'
import { showOnFailure } from './support/told.ts'
import { until } from './support/wait.ts'

const MEGABYTE = 1_048_576
const REFUSAL = 'Bowline: too many connections from this address; try again later.'
let folder: string
let server: Server
let agent: Agent
const undo = cleanups()

/** Starts a server with one agent. */
async function installation(name: string, env: Readonly<Record<string, string>>): Promise<[Server, Agent]> {
  const started = await startServer({ env })
  undo(() => started.remove())
  const device = await startAgent(started, name)
  undo(() => device.remove())
  return [started, device]
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-volume-'))
  undo(() => rm(folder, { recursive: true, force: true }))
})
showOnFailure(() => ({ server: server.process, agent: agent.process }))

describe('with limits raised by the configuration', () => {
  beforeAll(async () => {
    const raised = { BOWLINE_MAX_CHANNELS: '120', BOWLINE_MAX_SESSIONS_PER_ACCOUNT: '120' }
    ;[server, agent] = await installation('roomy', raised)
  })

  it('100 MB go down, up, and both ways at once, unchanged', async () => {
    const bytes = 100 * MEGABYTE
    const { path, sha256 } = await randomFile(bytes)
    const same = { code: 0, stderr: '', bytes, sha256 }
    expect(await pipeThrough(agent.target, `cat ${path}`)).toEqual(same)
    const copy = `${path}.copy`
    const up = await pipeThrough(agent.target, `cat > ${copy}; sha256sum < ${copy}`, createReadStream(path))
    expect(up).toMatchObject({ code: 0, stderr: '', sha256: sha256Of(`${sha256}  -\n`) })
    expect(await pipeThrough(agent.target, 'cat', createReadStream(path))).toEqual(same)
  })

  it('one connection carries 100 commands at once', async () => {
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

  it('50 connections run at once', async () => {
    const sessions = await Promise.all(Array.from({ length: 50 }, () => startEcho(agent.target)))
    await Promise.all(sessions.map((session, index) => session.echo(`line ${index}`)))
    for (const session of sessions) session.end()
    const results = await Promise.all(sessions.map((session) => session.result))
    expect(results.map(({ code }) => code)).toEqual(Array(50).fill(0))
    expect(results.map(({ stdout }) => stdout.toString())).toEqual(results.map((_, index) => `ready\nline ${index}\n`))
  })

  it('a reader that stops holds up nobody and fills no memory', async () => {
    const { path, sha256 } = await randomFile(50 * MEGABYTE)
    // What a transfer needs anyway is there before the first look.
    await pipeThrough(agent.target, `cat ${path}`)
    const before = await memory()
    const stuck = startSsh(agent.target, ['exec yes'])
    const ended = once(stuck, 'close')
    await once(stuck.stdout, 'data')
    stuck.stdout.resume()
    const [, reader = 0] = await familyOf(stuck.pid ?? 0)
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

describe('with the limits that everybody gets', () => {
  beforeAll(async () => {
    ;[server, agent] = await installation('strict', { BOWLINE_UNCOUNTED_SOURCES: '' })
  })

  it('a channel too many is refused with its reason, and the others go on', async () => {
    const shared = await shareConnection(agent.target, join(folder, 'full'))
    const commands = Array.from({ length: 64 }, () => {
      const child = shared.start('echo up; exec cat')
      return { child, result: finish(child) }
    })
    let up = 0
    for (const { child } of commands) child.stdout.once('data', () => (up += 1))
    await until('all commands run', () => up === commands.length, 60_000)
    const surplus = shared.start('echo surplus')
    surplus.stdin.end()
    const refused = await finish(surplus)
    expect([refused.code, refused.stdout.toString()]).toEqual([255, ''])
    for (const { child } of commands) child.stdin.end('still here\n')
    const results = await Promise.all(commands.map(({ result }) => result))
    expect(results.map(({ stdout }) => stdout.toString())).toEqual(Array(64).fill('up\nstill here\n'))
    const next = shared.start('echo room again')
    next.stdin.end()
    expect((await finish(next)).stdout.toString()).toBe('room again\n')
    expect((await shared.close()).stderr).toMatch(/open failed: .*At most 64 channels/)
  })

  it('connections that never sign in are refused beyond 10, and hold up nobody else', async () => {
    const session = await startEcho(agent.target, ['-b', '127.0.0.5'])
    const silent = await Promise.all(Array.from({ length: 10 }, () => greeting('127.0.0.5')))
    expect(silent.map(({ text }) => text)).toEqual(Array(10).fill('SSH-2.0-OpenSSH_Bowline'))
    expect((await greeting('127.0.0.5')).text).toBe(REFUSAL)
    await session.echo('unaffected')
    expect((await greeting('127.0.0.6')).text).toBe('SSH-2.0-OpenSSH_Bowline')
    session.end()
    expect((await session.result).code).toBe(0)
  })

  it('400 connections that dawdle in every way are all ended, and others come in meanwhile', async () => {
    const pace: ((socket: Socket) => void)[] = [
      () => undefined,
      (socket) => socket.write('SSH-2.0-dawdler\r\n'),
      (socket) => socket.write(Buffer.concat([Buffer.from('SSH-2.0-dawdler\r\n'), Buffer.from('000003fc0414', 'hex')])),
      (socket) => {
        const drip = setInterval(() => socket.write('S'), 1_000)
        socket.once('close', () => clearInterval(drip))
      },
    ]
    let ended = 0
    for (let count = 0; count < 400; count += 1) {
      const { host, port } = agent.target
      const socket = connect({ host, port, localAddress: '127.0.0.10' }, () => pace[count % 4]?.(socket))
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => undefined).on('close', () => (ended += 1))
      socket.resume()
    }
    const options = ['-b', '127.0.0.11']
    expect((await ssh(agent.target, ['echo meanwhile'], { options })).stdout.toString()).toBe('meanwhile\n')
    expect(await until('all are ended', () => ended === 400 && ended)).toBe(400)
  })

  it('the 51st connection of one source is refused, and the 50 before it go on', async () => {
    const options = ['-b', '127.0.0.7']
    const sessions: EchoSession[] = []
    // A source may begin ten connections a second: what is refused for that comes again.
    const enter = () => until('the gate lets it in', () => startEcho(agent.target, options).catch(() => undefined))
    while (sessions.length < 50) sessions.push(...(await Promise.all(Array.from({ length: 5 }, enter))))
    await until('it is refused for their number', async () => {
      expect((await greeting('127.0.0.7')).text).toBe(REFUSAL)
      return (await refusals()).has('too-many-connections')
    })
    expect((await ssh(agent.target, ['true'], { options })).code).toBe(255)
    await Promise.all(sessions.map((session) => session.echo('unaffected')))
    for (const session of sessions) session.end()
    const results = await Promise.all(sessions.map((session) => session.result))
    expect(results.map(({ code }) => code)).toEqual(Array(50).fill(0))
  })

  it('a guesser is cut off after six passwords and stays out for a while; others come in', async () => {
    const { code, stderr } = await guess({ ...agent.target, password: '' }, 10, ['-b', '127.0.0.8'])
    expect(code).toBe(255)
    expect(stderr.match(/Permission denied, please try again/g)).toHaveLength(5)
    expect(stderr).toMatch(/Too many/)
    expect((await greeting('127.0.0.8')).text).toBe(REFUSAL)
    expect((await ssh(agent.target, ['echo in'], { options: ['-b', '127.0.0.9'] })).stdout.toString()).toBe('in\n')
  })
})

/** Connects from a loopback address and reads the first line; the connection stays until the test ends. */
async function greeting(localAddress: string): Promise<{ text: string; socket: Socket }> {
  const socket = connect({ host: agent.target.host, port: agent.target.port, localAddress })
  onTestFinished(() => void socket.destroy())
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return { text: chunk.toString().split('\r\n')[0] ?? '', socket }
}

/** Reasons for which connections were refused so far, as the metrics count them. */
async function refusals(): Promise<Set<string>> {
  const text = await (await fetch(`${server.origin}/metrics`)).text()
  return new Set(
    [...text.matchAll(/^bowline_ssh_refused\S*\{reason="([\w-]+)"\} [1-9]/gm)].map(([, reason = '']) => reason),
  )
}

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
