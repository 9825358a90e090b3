import { generateKeyPairSync, sign } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing.ts'
import { type FakeDevice, fakeDevice } from '../testing.ts'
import { openSocket, refusedUpgrade } from './testing.ts'

let server: BootedServer
let ada: Person

beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

async function token(device: FakeDevice, password = 'right'): Promise<string> {
  const body = { device: device.device.uid, username: 'root', password }
  return (await ada.client.call(operations.terminals.openLegacy, { body })).body.token
}

/** Everything that the socket has said so far. */
function heard(socket: WebSocket): () => string {
  let text = ''
  socket.on('message', (data: Buffer) => (text += data.toString()))
  return () => text
}

const type = (socket: WebSocket, text: string): void =>
  socket.send(JSON.stringify({ kind: 1, data: Buffer.from(text).toString('base64') }))

async function newestSession() {
  const { body } = await ada.client.call(operations.sessions.list, { query: { per_page: '1' } })
  const [newest] = body
  if (!newest) throw new Error('there is no session yet')
  return newest
}

describe('the web terminal of existing clients', () => {
  it('opens with a password and a token: input, output, resize, a row of type web', async () => {
    const device = await fakeDevice(server, ada)
    const socket = await openSocket(server, `/ws/ssh?token=${await token(device)}&cols=100&rows=30`)
    const text = heard(socket)
    type(socket, 'héllo ')
    type(socket, 'world')
    await vi.waitUntil(() => text().includes('héllo world'))
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
    await vi.waitUntil(async () => (await newestSession()).closed?.by === 'user')
    const session = await newestSession()
    const { body } = await ada.client.call(operations.sessions.get, { params: { uid: session.uid } })
    expect(body.events.types).toEqual(expect.arrayContaining(['pty-req', 'shell', 'window-change']))
  })

  it('says that a password is wrong and ends; the failed login is in the list', async () => {
    const device = await fakeDevice(server, ada)
    const socket = await openSocket(server, `/ws/ssh?token=${await token(device, 'wrong')}&cols=80&rows=24`)
    const text = heard(socket)
    await vi.waitUntil(() => socket.readyState === socket.CLOSED)
    expect(text()).toContain('permission denied')
    await vi.waitUntil(async () => (await newestSession()).closed?.reason === 'login-failed')
    expect(await newestSession()).toMatchObject({ authenticated: false, type: 'web' })
  })

  it('opens with a key that signs what the server asks', async () => {
    const device = await fakeDevice(server, ada)
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const { fingerprint } = await register(publicKey.export({ format: 'jwk' }).x ?? '')
    const open = async () => {
      const body = { device: device.device.uid, username: 'root', fingerprint }
      const { body: answer } = await ada.client.call(operations.terminals.openLegacy, { body })
      return openSocket(server, `/ws/ssh?token=${answer.token}`)
    }
    const honest = await open()
    const text = heard(honest)
    await vi.waitUntil(() => text() !== '')
    const challenge = Buffer.from(JSON.parse(text()).data, 'base64')
    honest.send(JSON.stringify({ kind: 3, data: sign(null, challenge, privateKey).toString('base64') }))
    type(honest, 'by key')
    await vi.waitUntil(() => text().includes('by key'))
    expect(device.credentials).toMatchObject([{ method: 'statement' }])

    const liar = await open()
    const answer = heard(liar)
    await vi.waitUntil(() => answer() !== '')
    liar.send(JSON.stringify({ kind: 3, data: sign(null, challenge, privateKey).toString('base64') }))
    await vi.waitUntil(() => liar.readyState === liar.CLOSED)
    expect(answer()).toContain('permission denied')
    expect(device.credentials).toHaveLength(1)
  })

  it.each([
    ['without a token', () => '', {}, 401],
    ['with an unknown token', () => 'unknown', {}, 401],
    ['from a page of another site', token, { Origin: 'https://evil.example' }, 403],
    ['from a page of another site, as only the browser tells', token, { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ])('is refused %s', async (_, make, headers, status) => {
    const device = await fakeDevice(server, ada)
    expect(await refusedUpgrade(server, `/ws/ssh?token=${await make(device)}&cols=1&rows=1`, headers)).toBe(status)
  })

  it('takes a token once', async () => {
    const device = await fakeDevice(server, ada)
    const path = `/ws/ssh?token=${await token(device)}&cols=80&rows=24`
    await openSocket(server, path)
    expect(await refusedUpgrade(server, path)).toBe(401)
  })

  it('gives tokens to members for devices of their namespace only', async () => {
    const device = await fakeDevice(server, ada)
    const eve = await server.addPerson('eve')
    const body = { device: device.device.uid, username: 'root', password: 'right' }
    expect(await outcome(eve.client.call(operations.terminals.openLegacy, { body }))).toBe('404 NOT_FOUND')
    expect(await outcome(server.client().call(operations.terminals.openLegacy, { body }))).toBe('401 UNAUTHORIZED')
  })

  it('shows why an administrator ended the session', async () => {
    const device = await fakeDevice(server, ada)
    const socket = await openSocket(server, `/ws/ssh?token=${await token(device)}&cols=80&rows=24`)
    const text = heard(socket)
    await vi.waitUntil(() => text().includes('Connected'))
    const { uid } = await newestSession()
    const close = { params: { uid }, body: { device: device.device.uid } }
    await ada.client.call(operations.sessions.close, close)
    await vi.waitUntil(() => socket.readyState === socket.CLOSED)
    expect(text()).toContain('An administrator ended the session.')
  })

  it('ends a connection whose messages are too long or not understood, and nothing else', async () => {
    const device = await fakeDevice(server, ada)
    const [long, odd] = [
      await openSocket(server, `/ws/ssh?token=${await token(device)}`),
      await openSocket(server, `/ws/ssh?token=${await token(device)}`),
    ]
    const closed = new Promise((resolve) => long.once('close', resolve))
    long.on('error', () => undefined)
    long.send('x'.repeat(2_000_000))
    expect(await closed).toBe(1009)
    odd.send('{"kind":9}')
    await vi.waitUntil(() => odd.readyState === odd.CLOSED)
    await vi.waitUntil(async () => {
      const { body } = await ada.client.call(operations.sessions.list, {})
      return body.some(({ closed }) => closed?.reason === 'malformed-message')
    })
  })
})

/** Registers an Ed25519 key for every account and device. @param x its point in base64url */
async function register(x: string) {
  const part = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const blob = Buffer.concat([part(Buffer.from('ssh-ed25519')), part(Buffer.from(x, 'base64url'))])
  const data = Buffer.from(`ssh-ed25519 ${blob.toString('base64')}`).toString('base64')
  const body = { name: 'web', username: '.*', filter: { hostname: '.*' }, data }
  return (await ada.client.call(operations.publicKeys.create, { body })).body
}
