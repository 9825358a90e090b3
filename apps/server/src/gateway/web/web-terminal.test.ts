import { once } from 'node:events'
import { generateKeyPairSync } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { LOGIN_SIGNATURE_NAMESPACE, TERMINAL, TERMINAL_PATH, loginText } from '@bowline/contract/terminal/messages'
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import { encodePublicKey } from '@bowline/ssh/keys/key-blob'
import { readPrivateKey } from '@bowline/ssh/keys/read-private-key'
import { sshsigMessage } from '@bowline/ssh/keys/sshsig'
import { signMessage, signatureAlgorithm } from '@bowline/ssh/keys/web-signature'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { type Behaviour, DEVICE_PASSWORD, fakeDevice, judging } from '../../testing/gateway.ts'
import {
  type Page,
  SIZE,
  greetedPage,
  openPage,
  readyPage,
  openSocket,
  refusedUpgrade,
  resumedPage,
} from './testing.ts'
import { until } from '@bowline/testkit/until'

let server: BootedServer
let ada: Person

beforeAll(async () => {
  server = await bootServer({
    settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8', BOWLINE_TRUSTED_PROXIES: '127.0.0.1/32' },
  })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

async function session(uid: string) {
  const { body } = await ada.client.call(operations.sessions.list, { query: { per_page: '100' } })
  return body.find((one) => one.uid === uid)
}

/** A device whose processes the test controls. */
function byHand(): { behave: Behaviour; process: Promise<LinkStream>; input: () => Buffer } {
  const { promise, resolve } = Promise.withResolvers<LinkStream>()
  let input = Buffer.alloc(0)
  const process = (stream: LinkStream): StreamHandler => {
    stream.control({ type: 'started' })
    resolve(stream)
    return {
      data(bytes) {
        input = Buffer.concat([input, bytes])
        stream.consumed(bytes.length)
      },
      closed: () => undefined,
    }
  }
  const behave: Behaviour = (kind, _, stream) => (kind === 'auth' ? judging(stream) : process(stream))
  return { behave, process: promise, input: () => input }
}

describe('web terminal', () => {
  it('transfers all byte values in both directions, and the size', async () => {
    const device = await fakeDevice(server, ada)
    const { page, session: uid } = await readyPage(server, ada, device.device.uid)
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value))
    const greeting = await until(() => page.output().length > 0 && page.output().length)
    page.data(0, bytes)
    page.say({ type: 'resize', columns: 120, rows: 50, width: 0, height: 0 })
    await until(() => page.output().length === greeting + 256)
    expect(page.output().subarray(greeting)).toEqual(bytes)
    await until(() => page.taken() === 256)
    const row = await until(async () => {
      const found = await session(uid)
      return found?.events.types.includes('window-change') && found
    })
    expect(row).toMatchObject({ type: 'web', authenticated: true, active: true, ip_address: '127.0.0.1' })
    page.say({ type: 'bye' })
    await once(page.socket, 'close')
    await until(async () => (await session(uid))?.closed?.by === 'user')
  })

  it('reports exit status after the last output, and the cause', async () => {
    const { behave, process } = byHand()
    const device = await fakeDevice(server, ada, behave)
    const { page } = await readyPage(server, ada, device.device.uid)
    const stream = await process
    stream.write(Buffer.alloc(100_000, 'x'))
    stream.control({ type: 'exit', status: 7 })
    stream.close()
    expect(await page.next('exit')).toEqual({ type: 'exit', status: 7 })
    expect(page.output().toString()).toContain('x'.repeat(100_000))
    expect(await page.next('ended')).toMatchObject({ by: 'user', reason: 'disconnect' })
  })

  it('tells a lost connection of the device from one of the browser, and keeps the code in the row', async () => {
    const device = await fakeDevice(server, ada)
    const { page, session: uid } = await readyPage(server, ada, device.device.uid)
    device.reset()
    expect(await page.next('ended')).toEqual({
      type: 'ended',
      by: 'network',
      reason: 'connection-lost',
      message: 'the device lost its connection to the server.',
    })
    expect(page.output().toString()).not.toContain('ECONNRESET')
    const row = await until(async () => {
      const found = await session(uid)
      return found?.closed && found
    })
    expect(row.closed).toMatchObject({ by: 'network', reason: 'connection-lost', message: 'ECONNRESET' })
  })

  it('rejects wrong passwords as often as ssh does', async () => {
    const device = await fakeDevice(server, ada)
    const page = await greetedPage(server, ada, device.device.uid)
    const { session: uid } = await page.next('welcome')
    for (let attempt = 1; attempt < 6; attempt += 1) {
      page.say({ type: 'password', password: `wrong ${attempt}` })
      await page.next('refused')
    }
    page.say({ type: 'password', password: 'wrong again' })
    expect(await page.next('ended')).toMatchObject({ message: 'too many failed attempts to sign in.' })
    await until(async () => (await session(uid))?.closed?.reason === 'login-failed')
    expect(await session(uid)).toMatchObject({ authenticated: false, type: 'web' })
  })

  it('counts wrong passwords per browser address', async () => {
    const device = await fakeDevice(server, ada)
    const from = '198.51.100.7'
    const page = await greetedPage(server, ada, device.device.uid, { from })
    const { session: uid } = await page.next('welcome')
    for (const password of ['one', 'two', 'three', 'four', 'five']) {
      page.say({ type: 'password', password })
      await page.next('refused')
    }
    page.say({ type: 'password', password: 'six' })
    await page.next('ended')
    expect(await session(uid)).toMatchObject({ ip_address: from })
    const again = await greetedPage(server, ada, device.device.uid, { from })
    again.say({ type: 'password', password: DEVICE_PASSWORD })
    expect((await again.next('ended')).message).toMatch(/^too many wrong passwords/)
    const elsewhere = await greetedPage(server, ada, device.device.uid, { from: '198.51.100.8' })
    elsewhere.say({ type: 'password', password: DEVICE_PASSWORD })
    await elsewhere.next('ready')
  })

  it('forwards the device’s questions to the person', async () => {
    const device = await fakeDevice(server, ada, (kind, _, stream) => {
      if (kind !== 'auth') return judging(stream)
      const ask = { type: 'prompt', name: '', instruction: 'One more thing', prompts: [{ text: 'Code: ', echo: true }] }
      return {
        data: () => undefined,
        control: (message) =>
          stream.control('answers' in message ? { type: 'denied', reason: 'credential', ...message } : ask),
        closed: () => undefined,
      }
    })
    const page = await greetedPage(server, ada, device.device.uid)
    page.say({ type: 'questions' })
    expect((await page.next('prompt')).prompts).toEqual([{ text: 'Password: ', echo: false }])
    page.say({ type: 'answers', answers: ['one'] })
    expect(await page.next('prompt')).toMatchObject({ instruction: 'One more thing', prompts: [{ text: 'Code: ' }] })
    page.say({ type: 'answers', answers: ['two'] })
    await page.next('refused')
  })

  it('accepts a key signature for this page, session, device and account only', async () => {
    const device = await fakeDevice(server, ada)
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
    const key = await readPrivateKey(pem)
    const blob = Buffer.from(encodePublicKey(key.publicKey))
    const data = Buffer.from(`ssh-ed25519 ${blob.toString('base64')}`).toString('base64')
    const body = { name: 'web', username: '.*', filter: { hostname: '.*' }, data }
    await ada.client.call(operations.publicKeys.create, { body })
    const page = await greetedPage(server, ada, device.device.uid)
    const { session: uid } = await page.next('welcome')
    const right = { origin: server.origin, session: uid, device: device.device.uid as string, username: 'root' }
    const show = async (of: typeof right) => {
      const message = await sshsigMessage(LOGIN_SIGNATURE_NAMESPACE, Buffer.from(loginText(of)))
      const signature = Buffer.from(await signMessage(key, message)).toString('base64')
      page.say({ type: 'key', key: blob.toString('base64'), algorithm: signatureAlgorithm(key), signature })
    }
    for (const wrong of [
      { origin: 'https://evil.example' },
      { session: '0'.repeat(64) },
      { device: '0'.repeat(64) },
      { username: 'adm' },
    ]) {
      await show({ ...right, ...wrong })
      await page.next('refused')
    }
    expect(device.credentials).toEqual([])
    await show(right)
    await page.next('ready')
    expect(device.credentials).toMatchObject([{ method: 'statement' }])
  })

  it('reports a firewall refusal with the same text as ssh', async () => {
    const device = await fakeDevice(server, ada)
    const rule = { action: 'deny' as const, active: true, priority: 1, source_ip: '.*', username: 'barred' }
    await ada.client.call(operations.firewall.create, { body: { ...rule, filter: { hostname: '.*' } } })
    const page = await greetedPage(server, ada, device.device.uid, { username: 'barred' })
    const { session: uid } = await page.next('welcome')
    page.say({ type: 'password', password: 'right' })
    expect((await page.next('ended')).message).toMatch(/^access to this device is refused[.] Request access: http/)
    await until(async () => (await session(uid))?.closed?.reason === 'firewall')
  })

  it('shows that an administrator ended the terminal', async () => {
    const device = await fakeDevice(server, ada)
    const { page, session: uid } = await readyPage(server, ada, device.device.uid)
    const params = { uid: (await session(uid))?.uid ?? ('' as never) }
    await ada.client.call(operations.sessions.close, { params, body: { device: device.device.uid } })
    expect(await page.next('ended')).toEqual({
      type: 'ended',
      by: 'admin',
      reason: 'closed',
      message: 'An administrator ended the session.',
    })
  })
})

describe('terminal tickets', () => {
  it('opens one terminal per ticket', async () => {
    const device = await fakeDevice(server, ada)
    const params = { uid: device.device.uid }
    const { body } = await ada.client.call(operations.terminals.open, { params, body: { username: 'root' } })
    const [first, second] = [await openPage(server), await openPage(server)]
    for (const page of [first, second]) page.say({ type: 'hello', ticket: body.ticket, ...SIZE })
    await first.next('welcome')
    expect(await second.next('ended')).toMatchObject({ reason: 'ticket' })
  })

  it('issues tickets to members of the device’s namespace only', async () => {
    const device = await fakeDevice(server, ada)
    const eve = await server.addPerson('eve')
    const ask = { params: { uid: device.device.uid }, body: { username: 'root' } }
    expect(await outcome(eve.client.call(operations.terminals.open, ask))).toBe('404 NOT_FOUND')
  })

  it.each([
    ['from a page of another site', { Origin: 'https://evil.example' }, 403],
    ['without the protocol', { 'Sec-WebSocket-Protocol': 'another' }, 400],
  ])('refuses an upgrade %s', async (_, headers, status) => {
    expect(await refusedUpgrade(server, TERMINAL_PATH, headers)).toBe(status)
  })
})

describe('resuming a terminal', () => {
  it('resumes repeatedly without lost or duplicated bytes in either direction', async () => {
    const { behave, process, input } = byHand()
    const device = await fakeDevice(server, ada, behave)
    const { page: first, session: uid, token } = await readyPage(server, ada, device.device.uid)
    const stream = await process
    const typed = Buffer.from(Array.from({ length: 30_000 }, (_, at) => at % 251))
    const parts = ['one', 'two', 'three'].map((name) =>
      Array.from({ length: 20_000 }, (_, line) => `${name} ${line}\r\n`).join(''),
    )
    const expected = parts.join('')
    let page = first
    // The device keeps sending; the page is disconnected in the middle.
    for (const [turn, part] of parts.entries()) {
      stream.write(Buffer.from(part))
      page.data(turn * 10_000, typed.subarray(turn * 10_000, (turn + 1) * 10_000))
      const before = page.received()
      await until(() => page.received() > before)
      page.socket.terminate()
      const received = page.output()
      page = await resumedPage(server, token, received)
      const { received: arrived } = await page.next('resumed')
      // Resends the bytes that have not arrived, with some that have.
      const from = Math.max(0, arrived - 100)
      page.data(from, typed.subarray(from, (turn + 1) * 10_000))
    }
    await until(() => page.output().toString().endsWith('three 19999\r\n'))
    const text = page.output().toString()
    expect(text.slice(text.indexOf('one 0\r\n'))).toBe(expected)
    await until(() => input().length === typed.length)
    expect(input().equals(typed)).toBe(true)
    expect((await session(uid))?.active).toBe(true)
  })

  it('rejects resuming with another token or beyond the output', async () => {
    const device = await fakeDevice(server, ada)
    const { token } = await readyPage(server, ada, device.device.uid)
    const unknown = await resumedPage(server, 'x'.repeat(43), Buffer.alloc(0))
    expect(await unknown.next('ended')).toMatchObject({ reason: 'not-resumable' })
    const ahead = await resumedPage(server, token, Buffer.alloc(1_000_000))
    expect(await ahead.next('ended')).toMatchObject({ reason: 'protocol' })
  })

  it('rejects resuming from an address that the firewall denies', async () => {
    const device = await fakeDevice(server, ada)
    const rule = { action: 'deny' as const, active: true, priority: 2, source_ip: '^203[.]0[.]113[.]', username: '.*' }
    await ada.client.call(operations.firewall.create, { body: { ...rule, filter: { hostname: '.*' } } })
    const { page, session: uid, token } = await readyPage(server, ada, device.device.uid)
    page.socket.terminate()
    const moved = await resumedPage(server, token, page.output(), '203.0.113.9')
    expect(await moved.next('ended')).toMatchObject({ by: 'policy', reason: 'firewall' })
    await until(async () => (await session(uid))?.closed?.reason === 'firewall')
  })

  it('delivers the end of a session that ended while disconnected', async () => {
    const { behave, process } = byHand()
    const device = await fakeDevice(server, ada, behave)
    const { page, token } = await readyPage(server, ada, device.device.uid)
    const stream = await process
    page.socket.terminate()
    stream.write(Buffer.from('the last words'))
    stream.control({ type: 'exit', status: 3 })
    stream.close()
    const back = await resumedPage(server, token, page.output())
    expect(await back.next('exit')).toEqual({ type: 'exit', status: 3 })
    expect(await back.next('ended')).toMatchObject({ by: 'user' })
    expect(back.output().toString()).toContain('the last words')
  })
})

describe('misbehaving WebSockets', () => {
  it('closes at the header of an oversized message', async () => {
    const page = await openPage(server)
    page.socket.on('error', () => undefined)
    const closed = once(page.socket, 'close')
    page.socket.send(Buffer.alloc(TERMINAL.messageBytes + 1))
    expect((await closed)[0]).toBe(1009)
  })

  it('closes on an unexpected message before the ticket', async () => {
    for (const say of ['bye', 'questions'] as const) {
      const page = await openPage(server)
      page.say({ type: say })
      expect(await page.next('ended')).toMatchObject({ reason: 'protocol' })
    }
  })
})

it('accepts the origin that a trusted proxy forwards', async () => {
  const name = `localhost:${new URL(server.origin).port}`
  const headers = {
    Host: `127.0.0.1:${new URL(server.origin).port}`,
    'X-Forwarded-Host': name,
    Origin: `https://${name}`,
  }
  const socket = await openSocket(server, TERMINAL_PATH, headers)
  expect(socket.readyState).toBe(socket.OPEN)
})

describe('flow control', () => {
  it('stops a device while its output is unconfirmed, then resumes', async () => {
    const { behave, process } = byHand()
    const device = await fakeDevice(server, ada, behave)
    const { page } = await readyPage(server, ada, device.device.uid, { takes: false })
    const stream = await process
    const total = 8 * TERMINAL.outputWindowBytes
    stream.write(Buffer.alloc(total, 'y'))
    const soon = { timeout: 20_000 }
    await until(() => page.received() === TERMINAL.outputWindowBytes, soon)
    // Most of it is still on the device: the gateway holds its window and the link's credit.
    const held = () => total - stream.queuedBytes
    await until(() => held() > TERMINAL.outputWindowBytes, soon)
    expect(held()).toBeLessThan(total / 2)
    expect(page.received()).toBe(TERMINAL.outputWindowBytes)
    const confirm = setInterval(() => page.take(page.received()), 5)
    const arrived = () => page.output().filter((byte) => byte === 121).length
    // Inspected only when enough has come, other output included: checking all of it every time would block the server,
    // which runs in the same process.
    await until(() => page.received() >= total && arrived() >= total, soon)
    clearInterval(confirm)
    expect(arrived()).toBe(total)
  })

  it.each<[string, (page: Page) => void]>([
    ['more input than the window', flood],
    ['input at a wrong offset', (page) => page.data(5, 'x')],
    ['a confirmation of unsent bytes', (page) => page.take(1_000_000)],
    ['an invalid frame', (page) => page.socket.send(Buffer.from('nonsense'))],
    ['text', (page) => page.socket.send('text')],
    ['an unexpected message', (page) => page.say({ type: 'questions' })],
  ])('closes a session whose page sends %s', async (_, misbehave) => {
    const device = await fakeDevice(server, ada, (kind, __, stream) => {
      if (kind === 'auth') return judging(stream)
      stream.control({ type: 'started' })
      // Reads nothing.
      return { data: () => undefined, closed: () => undefined }
    })
    const { page, session: uid } = await readyPage(server, ada, device.device.uid)
    misbehave(page)
    await once(page.socket, 'close')
    const closed = await until(async () => (await session(uid))?.closed)
    expect(closed).toMatchObject({ by: 'gateway', reason: 'malformed-message' })
  })
})

/** Sends far more than the window and the link's credit. */
function flood(page: Page): void {
  const piece = Buffer.alloc(TERMINAL.pieceBytes)
  for (let at = 0; at < 64; at += 1) page.data(at * piece.length, piece)
}
