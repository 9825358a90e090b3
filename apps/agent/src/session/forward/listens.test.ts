import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Link } from '@bowline/link/api'
import { RecordedStream } from '@bowline/link/testing/pair'
import { systemAccount } from '../../login/account.ts'
import { until } from '@bowline/testkit/until'
import { exec, exitOfSession, fakeAuthority, logIn, openSession, startAgent } from '../../testing.ts'
import { makeUser, needsRoot, type TemporaryUser } from '../../testing-users.ts'

let folder: string
const sockets: Socket[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-listen-'))
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  rmSync(folder, { recursive: true })
})

const TCP = { type: 'tcp', port: 0 }
const X11 = { type: 'x11', single: false, protocol: 'MIT-MAGIC-COOKIE-1', cookie: 'ab'.repeat(16), screen: 0 }

function listen(gateway: Link, login: RecordedStream, at: object) {
  return RecordedStream.open(gateway, 'listen', { login: login.stream?.id, at })
}

/** Resolves with the port once the listener has answered. */
async function portOf(listener: RecordedStream): Promise<number> {
  await until(() => listener.messages.length > 0 || listener.cause !== undefined)
  expect(listener.messages).toMatchObject([{ type: 'listening' }])
  return Number(listener.messages[0]?.['port'])
}

/** Connects and records received bytes. */
function visit(where: { port: number; host?: string } | { path: string }) {
  const socket = connect({ ...where, allowHalfOpen: true })
  sockets.push(socket)
  const visitor = { socket, heard: '', over: false }
  socket.on('data', (bytes) => (visitor.heard += String(bytes)))
  socket.on('error', () => (visitor.over = true)).on('close', () => (visitor.over = true))
  return visitor
}

test.each(['127.0.0.1', '::1'])('offers a connection to %s, and reads it only once it is accepted', async (host) => {
  const { gateway, accepted, errors } = startAgent()
  const listener = listen(gateway, await logIn(gateway), TCP)
  const visitor = visit({ host, port: await portOf(listener) })
  visitor.socket.end('hello')
  await until(() => accepted.length > 0)
  const [stream] = accepted
  expect([stream?.kind, stream?.header]).toEqual([
    'accept',
    { listen: listener.stream.id, origin: { address: host, port: visitor.socket.localPort } },
  ])
  expect(stream?.text()).toBe('')
  stream?.stream?.control({ type: 'connected' })
  await until(() => stream?.text() === 'hello' && stream.events.includes('eof'))
  stream?.stream?.write(Buffer.from('welcome'))
  stream?.stream?.eof()
  await until(() => visitor.over)
  expect([visitor.heard, errors]).toEqual(['welcome', []])
})

test('closes a listener with its stream, and with its login', async () => {
  const { gateway } = startAgent()
  const login = await logIn(gateway)
  const [cancelled, forgotten] = [listen(gateway, login, TCP), listen(gateway, login, TCP)]
  const [first, second] = [await portOf(cancelled), await portOf(forgotten)]
  cancelled.stream.close()
  await cancelled.whenClosed()
  const late = visit({ port: first })
  await until(() => late.over)
  login.stream?.close()
  expect(await forgotten.whenClosed()).toMatchObject({ by: 'agent', reason: 'done' })
  const later = visit({ port: second })
  await until(() => later.over)
})

test('refuses a port that is taken on one of the two loopback addresses', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const { gateway } = startAgent()
  const listener = listen(gateway, await logIn(gateway), { type: 'tcp', port })
  expect(await listener.whenClosed()).toMatchObject({ by: 'agent', reason: 'listen-failed' })
  taken.close()
})

test('limits the listeners of a login', async () => {
  const { gateway } = startAgent()
  const login = await logIn(gateway)
  const listeners = Array.from({ length: 257 }, () => listen(gateway, login, TCP))
  expect(await listeners[256]?.whenClosed()).toMatchObject({ message: 'too many listeners in this login' })
  login.stream?.close()
  await Promise.all(listeners.map((one) => one.whenClosed()))
})

test.each([
  { ...X11, cookie: 'ab\nadd evil' },
  { ...X11, protocol: 'a b' },
  { ...X11, cookie: '' },
])('never passes an X11 cookie with other characters to xauth: %o', async (at) => {
  const { gateway } = startAgent()
  const listener = listen(gateway, await logIn(gateway), at)
  expect(await listener.whenClosed()).toMatchObject({ message: 'the X11 cookie is not valid' })
})

test('accepts one connection on a single-connection display', async () => {
  const { gateway, accepted } = startAgent()
  const listener = listen(gateway, await logIn(gateway), { ...X11, single: true })
  await until(() => listener.messages.length > 0 || listener.cause !== undefined)
  const port = await portOf(listener)
  expect(port).toBeGreaterThanOrEqual(6_010)
  visit({ port })
  await until(() => accepted.length === 1)
  const second = visit({ port })
  await until(() => second.over)
  expect(accepted.length).toBe(1)
})

describe('as root', () => {
  needsRoot()
  let user: TemporaryUser
  beforeEach(() => {
    user = makeUser('*')
  })
  afterEach(() => user.remove())

  async function agentOf() {
    const account = await systemAccount(user.name)
    if (!account) throw new Error('the user was made')
    return startAgent({ authority: fakeAuthority(account) })
  }

  test('creates a socket owned by the user and removes it with only the user’s permissions', async () => {
    const { gateway } = await agentOf()
    const home = join(user.home, 'sockets')
    execFileSync('install', ['-d', '-o', user.name, home])
    const path = join(home, 'precious')
    const listener = listen(gateway, await logIn(gateway), { type: 'unix', path })
    await portOf(listener)
    expect([statSync(path).uid, statSync(path).mode & 0o777]).toEqual([user.uid, 0o600])
    // Meanwhile the path is swapped for a file that only root could remove.
    const theirs = join(folder, 'theirs')
    mkdirSync(theirs)
    writeFileSync(join(theirs, 'precious'), 'data')
    renameSync(home, `${home}-moved`)
    symlinkSync(theirs, home)
    listener.stream.close()
    const late = visit({ path: join(`${home}-moved`, 'precious') })
    await until(() => late.over)
    expect(readFileSync(join(theirs, 'precious'), 'utf8')).toBe('data')
  })

  test.each(['/etc/not-yours', 'relative'])('does not create a socket at %s', async (path) => {
    const { gateway } = await agentOf()
    const listener = listen(gateway, await logIn(gateway), { type: 'unix', path })
    expect(await listener.whenClosed()).toMatchObject({ by: 'agent', reason: 'listen-failed' })
    expect(existsSync(path)).toBe(false)
  })

  test('refuses a port below 1024 to other users than root', async () => {
    const { gateway } = await agentOf()
    const listener = listen(gateway, await logIn(gateway), { type: 'tcp', port: 1_023 })
    expect(await listener.whenClosed()).toMatchObject({ message: 'ports below 1024 are for root only' })
  })

  test('exposes the agent socket to processes that refer to it, and removes its folder with it', async () => {
    const { gateway } = await agentOf()
    const login = await logIn(gateway)
    const listener = listen(gateway, login, { type: 'agent' })
    await portOf(listener)
    const say = async (agent: object) => {
      const session = openSession(gateway, login, { run: exec('echo "$SSH_AUTH_SOCK"'), ...agent })
      await exitOfSession(session)
      return session.text().trim()
    }
    const path = await say({ agent: listener.stream.id })
    const { uid, mode } = statSync(dirname(path))
    expect([uid, mode & 0o777]).toEqual([user.uid, 0o700])
    expect(await say({})).toBe('')
    login.stream?.close()
    await until(() => !existsSync(dirname(path)))
  })
})
