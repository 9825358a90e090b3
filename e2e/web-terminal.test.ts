// The web terminal protocol as the console uses it, with a real shell and a lossy network in between.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import { type ChaosProxy, startChaosProxy } from '@bowline/testkit/chaos-proxy'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Credential, keyCredential } from '../apps/console/src/features/terminal/connection/credential.ts'
import {
  type RemoteTerminal,
  type Suspended,
  type TerminalState,
  openRemoteTerminal,
} from '../apps/console/src/features/terminal/connection/remote-terminal.ts'
import { type Agent, startAgent } from './support/agent.ts'
import { residentBytes } from './support/proc.ts'
import { type Server, startServer } from './support/server.ts'
import { until } from './support/wait.ts'

let server: Server
let agent: Agent
let proxy: ChaosProxy
let folder: string
const me = userInfo().username

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-web-terminal-'))
  server = await startServer()
  agent = await startAgent(server, 'web-terminal')
  proxy = await startChaosProxy({ target: { host: '127.0.0.1', port: Number(new URL(server.origin).port) } })
})
afterAll(async () => {
  await agent.remove()
  await proxy.close()
  await server.remove()
  await rm(folder, { recursive: true, force: true })
})

interface Opened {
  readonly terminal: RemoteTerminal
  /** Output so far. */
  readonly text: () => string
  type(text: string): void
  /** A hidden page reads no output. */
  hide(): void
  show(): void
}

/**
 * Opens a terminal through the lossy network, as a page would.
 * @param suspended the session to go on with
 */
async function open(
  credential: Credential = { kind: 'password', password: agent.target.password },
  suspended?: Suspended,
): Promise<Opened> {
  const { call } = await server.client()
  const origin = `http://${proxy.host}:${proxy.port}`
  const chunks: string[] = []
  const utf8 = new TextDecoder()
  const held: (() => void)[] = []
  let isHidden = false
  const terminal = openRemoteTerminal({
    origin,
    // Browsers send the page's Origin; Node's WebSocket does not by itself.
    openSocket: (url, protocol) => new WebSocket(url, { protocols: [protocol], headers: { Origin: origin } }),
    later(work, delayMs) {
      const timer = setTimeout(work, delayMs)
      return () => clearTimeout(timer)
    },
    now: () => performance.now(),
    target: { device: agent.device.uid, username: me },
    credential,
    suspended,
    size: { columns: 100, rows: 30 },
    ticket: async () =>
      (await call(operations.terminals.open, { params: { uid: agent.device.uid }, body: { username: me } })).body
        .ticket,
    output(bytes, done) {
      chunks.push(utf8.decode(bytes, { stream: true }))
      if (isHidden) held.push(done)
      else done()
    },
  })
  onTestFinished(() => terminal.close())
  return {
    terminal,
    text: () => chunks.join(''),
    type: (text) => terminal.input(new TextEncoder().encode(text)),
    hide: () => (isHidden = true),
    show() {
      isHidden = false
      for (const done of held.splice(0)) done()
    },
  }
}

const kind = ({ terminal }: Opened): TerminalState['kind'] => terminal.state.get().kind

/** A terminal whose shell is ready. */
async function openReady(credential?: Credential): Promise<Opened> {
  const opened = await open(credential)
  opened.type('stty -echo; PS1=; printf "%s\\n" ready-$((40+2))\r')
  await until('the shell answers', () => opened.text().includes('ready-42'))
  return opened
}

async function session(of: string) {
  const { call } = await server.client()
  return (await call(operations.sessions.get, { params: { uid: SessionUid.parse(of) } })).body
}

describe('a web terminal', () => {
  it('runs a shell with its size and language, and reports how it ended', async () => {
    const opened = await openReady()
    opened.type('stty size; echo "$TERM $LANG"; exit 5\r')
    await until('it has ended', () => kind(opened) === 'ended')
    expect(opened.text()).toMatch(/30 100\r\nxterm-256color C\.UTF-8\r\n/)
    expect(opened.terminal.state.get()).toMatchObject({ cause: { by: 'user' }, exit: { status: 5 } })
    expect(await session(opened.terminal.session())).toMatchObject({
      type: 'web',
      username: me,
      ip_address: '127.0.0.1',
      authenticated: true,
    })
  })

  it('refuses a wrong password, which the list of sessions records', async () => {
    const opened = await open({ kind: 'password', password: 'wrong' })
    await until('it is refused', () => kind(opened) === 'refused')
    const row = await until('the row is closed', async () => {
      const found = await session(opened.terminal.session())
      return found.closed && found
    })
    expect(row).toMatchObject({ authenticated: false, closed: { by: 'user', reason: 'login-failed' } })
  })

  it.each(['ed25519', 'ecdsa'])('opens a terminal with an encrypted %s key of ssh-keygen', async (type) => {
    const file = join(folder, type)
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', 'a passphrase', '-a', '2', '-f', file])
    const { call } = await server.client()
    const data = (await readFile(`${file}.pub`)).toString('base64')
    await call(operations.publicKeys.create, {
      body: { name: type, username: '.*', filter: { hostname: '.*' }, data },
    })
    const opened = await openReady(await keyCredential(await readFile(file, 'utf8'), 'a passphrase'))
    expect((await session(opened.terminal.session())).authenticated).toBe(true)
  })

  it('shows why an administrator ended it', async () => {
    const opened = await openReady()
    const { call } = await server.client()
    const { uid } = await session(opened.terminal.session())
    await call(operations.sessions.close, { params: { uid }, body: { device: agent.device.uid } })
    await until('it has ended', () => kind(opened) === 'ended')
    expect(opened.terminal.state.get()).toMatchObject({
      cause: { by: 'admin', message: 'An administrator ended the session.' },
    })
  })

  it('records a web terminal like any other session', async () => {
    const { call, open: read } = await server.client()
    const tenant = { tenant: agent.device.tenant_id }
    await call(operations.namespaces.update, { params: tenant, body: { settings: { session_record: true } } })
    const opened = await openReady()
    opened.type('echo recorded-$((6*7)); exit\r')
    await until('it has ended', () => kind(opened) === 'ended')
    await call(operations.namespaces.update, { params: tenant, body: { settings: { session_record: false } } })
    const params = { uid: SessionUid.parse(opened.terminal.session()), seat: '0' }
    await until('it is sealed', async () => (await call(operations.sessions.verifyRecord, { params })).body.complete)
    const cast = await (await read(operations.sessions.getRecord, { params, query: { format: 'cast' } })).text()
    expect(cast).toContain('recorded-42')
  })
})

describe('on a network that drops', () => {
  it('resumes a terminal without a byte lost or doubled', async () => {
    const opened = await openReady()
    const before = opened.text().length
    opened.type('i=0; while [ $i -lt 60000 ]; do i=$((i+1)); echo "line $i of many"; done\r')
    for (const part of [0.1, 0.4, 0.7]) {
      await until('more is there', () => opened.text().length - before > part * 1_000_000)
      proxy.reset()
      await until('it is back', () => kind(opened) === 'running')
    }
    await until('all is there', () => opened.text().includes('line 60000 of many'))
    const expected = Array.from({ length: 60_000 }, (_, line) => `line ${line + 1} of many\r\n`).join('')
    expect(
      opened
        .text()
        .slice(before)
        .replace(/^(\r\n)*/, ''),
    ).toBe(expected)
  })

  it('goes on in another page, without a byte lost or doubled in either direction', async () => {
    const first = await openReady()
    const before = first.text().length
    first.type('i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo "line $i of many"; done; cat\r')
    await until('some of it is there', () => first.text().length - before > 50_000)
    const paste = 'x'.repeat(3_000) + '\r'
    for (let count = 0; count < 50; count += 1) first.type(paste)
    const suspended = first.terminal.suspend()
    if (!suspended) throw new Error('nothing is suspended')
    const shown = first.text()
    // The page is gone.
    first.terminal.close()

    const second = await open(undefined, suspended)
    second.type('the end of the input\r')
    await until('the input has arrived', () => second.text().includes('the end of the input'))
    const text = (shown + second.text()).slice(before)
    const lines = Array.from({ length: 20_000 }, (_, line) => `line ${line + 1} of many\r\n`).join('')
    expect(text.replace(/^(\r\n)*/, '').slice(0, lines.length)).toBe(lines)
    expect(text.match(/x+/g)?.map(({ length }) => length)).toEqual(Array.from({ length: 50 }, () => 3_000))
    expect(second.terminal.session()).toBe(first.terminal.session())
    // A page that comes too late is told so.
    second.terminal.close()
    const third = await open(undefined, suspended)
    await until('it has ended', () => kind(third) === 'ended')
    expect(third.terminal.state.get()).toMatchObject({ cause: { reason: 'not-resumable' } })
  })

  it('pastes 10 MB byte for byte', async () => {
    const opened = await openReady()
    const paste = randomBytes(10 * 1024 * 1024)
    opened.type(`stty raw; echo go-$((1+1)); head -c ${paste.length} | sha256sum; stty sane\r`)
    await until('it is read', () => opened.text().includes('go-2'))
    opened.terminal.input(paste)
    await until('half of it is taken', () => opened.terminal.waitingBytes() < paste.length / 2)
    proxy.reset()
    const digest = createHash('sha256').update(paste).digest('hex')
    await until('the sum is there', () => opened.text().includes(digest), 60_000)
    expect(opened.terminal.waitingBytes()).toBe(0)
  })

  it('stops the device when a page reads nothing, and bounds the server’s memory', async () => {
    const opened = await openReady()
    opened.type('yes\r')
    await until('it says yes', () => opened.text().includes('y\r\ny\r\n'))
    opened.hide()
    const window = opened.text().length + TERMINAL.outputWindowBytes
    await until('its window is full', () => opened.text().length > window - 70_000)
    const rss = await residentBytes(server.process.pid)
    proxy.reset()
    await until('it is back', () => kind(opened) === 'running')
    expect((await residentBytes(server.process.pid)) - rss).toBeLessThan(20_000_000)
    opened.show()
    await until('it goes on', () => opened.text().length > window + 1_000_000)
    opened.type('\u0003')
  })
})
