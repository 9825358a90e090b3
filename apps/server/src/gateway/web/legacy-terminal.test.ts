import { type KeyObject, generateKeyPairSync, sign } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { keyOfJwk } from '@bowline/ssh/keys/jwk'
import { encodePublicKey } from '@bowline/ssh/keys/key-blob'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { WebSocket } from 'ws'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { type FakeDevice, fakeDevice, signedIn } from '../../testing/gateway.ts'
import { openSocket, refusedUpgrade } from './testing.ts'
import { until } from '@bowline/testkit/until'

/** Signatures of consoles: RSA with SHA-1 and PKCS #1 v1.5, Ed25519 bare. */
const KEYS = [
  {
    name: 'RSA',
    make: () => generateKeyPairSync('rsa', { modulusLength: 3_072 }),
    sign: (message: string | Buffer, key: KeyObject) => sign('sha1', Buffer.from(message), key),
  },
  {
    name: 'Ed25519',
    make: () => generateKeyPairSync('ed25519'),
    sign: (message: string | Buffer, key: KeyObject) => sign(null, Buffer.from(message), key),
  },
]

let server: BootedServer
let ada: Person

beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

type Shown = Readonly<{ password?: string; fingerprint?: string; signature?: string }>

/** Requests a token as an existing console does, without credential. */
async function token(device: FakeDevice, shown: Shown = { password: 'right' }): Promise<string> {
  const body = { device: device.device.uid, username: 'root', ...shown }
  return (await server.client().call(operations.terminals.openLegacy, { body })).body.token
}

/** URL of consoles up to v0.19: the token unencoded. */
const oldUrl = (ticket: string): string => `/ws/ssh?token=${ticket}&cols=80&rows=24`
/** URL of consoles since v0.20. */
const newUrl = (ticket: string): string => `/ws/ssh?${new URLSearchParams({ token: ticket, cols: '80', rows: '24' })}`

/** All output for a console: text up to v0.19, binary messages since v0.20. */
function heard(socket: WebSocket, binary = false): () => string {
  let text = ''
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary === binary) text += data.toString()
  })
  return () => text
}

/** Sends input as consoles up to v0.19 do. */
const type = (socket: WebSocket, text: string): void =>
  socket.send(JSON.stringify({ kind: 1, data: [...new TextEncoder().encode(text)] }))

async function newestSession() {
  const { body } = await ada.client.call(operations.sessions.list, { query: { per_page: '1' } })
  const [newest] = body
  if (!newest) throw new Error('there is no session yet')
  return newest
}

describe('legacy web terminal', () => {
  it('opens a terminal by password and token with input, output, resize and a web session row', async () => {
    const device = await fakeDevice(server, ada)
    const socket = await openSocket(server, `/ws/ssh?token=${await token(device)}&cols=100&rows=30`)
    const text = heard(socket)
    type(socket, 'héllo ')
    type(socket, 'world')
    await until(() => text().includes('héllo world'))
    socket.send(JSON.stringify({ kind: 2, data: { cols: 120, rows: 40 } }))
    const { header } = device.asked.find(({ kind }) => kind === 'session') ?? {}
    expect(header).toMatchObject({ run: { type: 'shell' }, pty: { columns: 100, rows: 30 } })
    expect(await newestSession()).toMatchObject({
      type: 'web',
      username: 'root',
      ip_address: '127.0.0.1',
      authenticated: true,
      active: true,
    })
    socket.close()
    await until(async () => (await newestSession()).closed?.by === 'user')
    const session = await newestSession()
    const { body } = await ada.client.call(operations.sessions.get, { params: { uid: session.uid } })
    expect(body.events.types).toEqual(expect.arrayContaining(['pty-req', 'shell', 'window-change']))
  })

  it('reports a wrong password, closes, and lists the failed login', async () => {
    const device = await fakeDevice(server, ada)
    const socket = await openSocket(
      server,
      `/ws/ssh?token=${await token(device, { password: 'wrong' })}&cols=80&rows=24`,
    )
    const text = heard(socket)
    await until(() => socket.readyState === socket.CLOSED)
    expect(text()).toContain('permission denied')
    await until(async () => (await newestSession()).closed?.reason === 'login-failed')
    expect(await newestSession()).toMatchObject({ authenticated: false, type: 'web' })
  })

  it('serves a v0.20 console with text input and binary output', async () => {
    const device = await fakeDevice(server, ada)
    const socket = await openSocket(server, newUrl(await token(device)))
    const text = heard(socket, true)
    const asText = heard(socket)
    socket.send(JSON.stringify({ kind: 1, data: 'h\u00e9llo world' }))
    await until(() => text().includes('h\u00e9llo world'))
    expect(asText()).toBe('')
  })

  it('opens a terminal for a signed-in caller too', async () => {
    const device = await fakeDevice(server, ada)
    const body = { device: device.device.uid, username: 'root', password: 'right' }
    const { body: answer } = await ada.client.call(operations.terminals.openLegacy, { body })
    const socket = await openSocket(server, oldUrl(answer.token))
    const text = heard(socket)
    type(socket, 'signed in')
    await until(() => text().includes('signed in'))
    expect(device.credentials).toMatchObject([{ method: 'password' }])
  })

  it.each(KEYS)('accepts a v0.19 console’s key signature over the user name: $name', async (kind) => {
    const device = await fakeDevice(server, ada)
    const { publicKey, privateKey } = kind.make()
    const { fingerprint } = await register(publicKey)
    const signature = kind.sign('root', privateKey).toString('base64')
    const socket = await openSocket(server, oldUrl(await token(device, { fingerprint, signature })))
    const text = heard(socket)
    type(socket, 'by key')
    await until(() => text().includes('by key'))
    expect(device.credentials).toMatchObject([{ method: 'statement' }])
    const { uid } = await newestSession()
    const { body: entries } = await ada.client.call(operations.audit.list, {})
    expect(entries).toContainEqual(expect.objectContaining({ action: 'session.legacy-signature', target: uid }))
  })

  it('rejects a signature over another user name or by another key', async () => {
    const device = await fakeDevice(server, ada)
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const { fingerprint } = await register(publicKey)
    for (const [message, key] of [
      ['other', privateKey],
      ['root', generateKeyPairSync('ed25519').privateKey],
    ] as const) {
      const signature = sign(null, Buffer.from(message), key).toString('base64')
      const socket = await openSocket(server, oldUrl(await token(device, { fingerprint, signature })))
      const text = heard(socket)
      await until(() => socket.readyState === socket.CLOSED)
      expect(text()).toContain('permission denied')
    }
    expect(device.credentials).toEqual([])
  })

  it('rejects signatures over the user name when disabled by setting', async () => {
    const strict = await bootServer({ settings: { BOWLINE_LEGACY_KEY_SIGNATURES: 'off' } })
    onTestFinished(() => strict.close())
    const eve = await strict.setUpAccount()
    const device = await fakeDevice(strict, eve)
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const { fingerprint } = await register(publicKey, eve)
    const signature = sign(null, Buffer.from('root'), privateKey).toString('base64')
    const body = { device: device.device.uid, username: 'root', fingerprint, signature }
    const { body: answer } = await strict.client().call(operations.terminals.openLegacy, { body })
    const socket = await openSocket(strict, oldUrl(answer.token))
    const text = heard(socket)
    await until(() => socket.readyState === socket.CLOSED)
    expect(text()).toContain('permission denied')
    expect(device.credentials).toEqual([])
  })

  it.each(KEYS)('accepts a v0.20 console’s signature of a challenge, once: $name', async (kind) => {
    const device = await fakeDevice(server, ada)
    const { publicKey, privateKey } = kind.make()
    const { fingerprint } = await register(publicKey)
    const open = async () => openSocket(server, newUrl(await token(device, { fingerprint })))
    const honest = await open()
    const asked = heard(honest)
    const text = heard(honest, true)
    await until(() => asked() !== '')
    const challenge = Buffer.from(JSON.parse(asked()).data, 'base64')
    const answer = JSON.stringify({ kind: 3, data: kind.sign(challenge, privateKey).toString('base64') })
    honest.send(answer)
    honest.send(JSON.stringify({ kind: 1, data: 'by key' }))
    await until(() => text().includes('by key'))
    expect(device.credentials).toMatchObject([{ method: 'statement' }])

    const replaying = await open()
    const refusal = heard(replaying, true)
    replaying.send(answer)
    await until(() => replaying.readyState === replaying.CLOSED)
    expect(refusal()).toContain('permission denied')
    expect(device.credentials).toHaveLength(1)
  })

  it('sends a challenge for an unregistered key as for a registered one', async () => {
    const device = await fakeDevice(server, ada)
    const fingerprint = Array(16).fill('ab').join(':')
    const socket = await openSocket(server, newUrl(await token(device, { fingerprint })))
    const asked = heard(socket)
    const text = heard(socket, true)
    await until(() => asked() !== '')
    expect(JSON.parse(asked())).toMatchObject({ kind: 3 })
    socket.send(JSON.stringify({ kind: 3, data: false }))
    await until(() => socket.readyState === socket.CLOSED)
    expect(text()).toContain('permission denied')
  })

  it.each([
    ['without a token', () => '', {}, 401],
    ['with an unknown token', () => 'unknown', {}, 401],
    ['from a page of another site', (device: FakeDevice) => token(device), { Origin: 'https://evil.example' }, 403],
    [
      'from a page of another site by Sec-Fetch-Site',
      (device: FakeDevice) => token(device),
      { 'Sec-Fetch-Site': 'cross-site' },
      403,
    ],
  ])('refuses an upgrade %s', async (_, make, headers, status) => {
    const device = await fakeDevice(server, ada)
    expect(await refusedUpgrade(server, `/ws/ssh?token=${await make(device)}&cols=1&rows=1`, headers)).toBe(status)
  })

  it('accepts a token once', async () => {
    const device = await fakeDevice(server, ada)
    const path = `/ws/ssh?token=${await token(device)}&cols=80&rows=24`
    await openSocket(server, path)
    expect(await refusedUpgrade(server, path)).toBe(401)
  })

  it('answers alike for an unknown device and a wrong password', async () => {
    const body = { device: 'f'.repeat(64), username: 'root', password: 'right' }
    const { body: answer } = await server.client().call(operations.terminals.openLegacy, { body })
    const socket = await openSocket(server, oldUrl(answer.token))
    const text = heard(socket)
    await until(() => socket.readyState === socket.CLOSED)
    expect(text()).toContain('permission denied')
    expect(text()).not.toContain('reached')
  })

  it('shows that an administrator ended the session', async () => {
    const device = await fakeDevice(server, ada)
    const socket = await openSocket(server, `/ws/ssh?token=${await token(device)}&cols=80&rows=24`)
    const text = heard(socket)
    await until(() => text().includes('Connected'))
    const { uid } = await newestSession()
    const close = { params: { uid }, body: { device: device.device.uid } }
    await ada.client.call(operations.sessions.close, close)
    await until(() => socket.readyState === socket.CLOSED)
    expect(text()).toContain('An administrator ended the session.')
  })

  it('closes connections with oversized or unknown messages', async () => {
    const device = await fakeDevice(server, ada)
    const [long, odd] = [
      await openSocket(server, `/ws/ssh?token=${await token(device)}`),
      await openSocket(server, `/ws/ssh?token=${await token(device)}`),
    ]
    const closed = new Promise((resolve) => long.once('close', resolve))
    long.on('error', () => undefined)
    long.send('x'.repeat(2_000_000))
    expect(await closed).toBe(1009)
    const text = heard(odd)
    odd.send('{"kind":9}')
    await until(() => odd.readyState === odd.CLOSED)
    expect(text()).toContain('neither input nor a size nor a signature')
    await until(async () => {
      const { body } = await ada.client.call(operations.sessions.list, {})
      return body.some(({ closed }) => closed?.reason === 'malformed-message')
    })
  })

  it('adds no penalty for a malformed message', async () => {
    const counting = await bootServer({})
    onTestFinished(() => counting.close())
    const person = await counting.setUpAccount()
    const device = await fakeDevice(counting, person)
    const body = { device: device.device.uid, username: 'root', password: 'right' }
    const { body: answer } = await counting.client().call(operations.terminals.openLegacy, { body })
    const socket = await openSocket(counting, oldUrl(answer.token))
    const text = heard(socket)
    await until(() => text().includes('Connected'))
    socket.send(JSON.stringify({ kind: 1, data: { not: 'input' } }))
    await until(() => socket.readyState === socket.CLOSED)
    // An SSH client from the same address gets in.
    expect(await signedIn(counting, device.login('root'))).toBeDefined()
  })
})

/** Registers a key for every account and device. */
async function register(publicKey: KeyObject, person: Person = ada) {
  const blob = keyOfJwk(publicKey.export({ format: 'jwk' }) as Readonly<Record<string, string>>)
  if (!blob) throw new Error('SSH has no such key')
  const data = Buffer.from(`${blob.type} ${Buffer.from(encodePublicKey(blob)).toString('base64')}`).toString('base64')
  const body = { name: 'web', username: '.*', filter: { hostname: '.*' }, data }
  return (await person.client.call(operations.publicKeys.create, { body })).body
}
