// Misbehaving clients against the whole gateway: each harms only itself.
import { operations } from '@bowline/contract/operations'
import * as n from '@bowline/ssh/wire/numbers'
import { WireWriter } from '@bowline/ssh/wire/writer'
import { type UserKey, ed25519Key, fidoKey } from '@bowline/ssh/testing/user-key'
import type { TestClient } from '@bowline/ssh/testing/test-client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { type FakeDevice, fakeDevice, rawClient, signedIn } from '../testing/gateway.ts'

let server: BootedServer
let person: Person
let device: FakeDevice
let login: string
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  person = await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  device = await fakeDevice(server, person)
  login = device.login('root')
})

/** A session of another client, which must not be affected. */
async function bystander(): Promise<() => Promise<string>> {
  const client = await signedIn(server, login)
  const channel = await openShell(client)
  let count = 0
  return async () => {
    count += 1
    client.sendData(channel, Buffer.from(`line ${count}`))
    const reader = await client.read(n.MSG_CHANNEL_DATA)
    reader.uint32('recipient')
    return Buffer.from(reader.string('data')).toString() === `line ${count}` ? 'unaffected' : 'disturbed'
  }
}

async function openShell(client: TestClient, id = 0): Promise<number> {
  const channel = await client.openSession(id)
  client.send(client.channelRequest(channel, 'shell').done())
  await client.next(n.MSG_CHANNEL_SUCCESS)
  return channel
}

/** The server's disconnect message, or that the connection ended without one. */
async function ending(client: TestClient): Promise<string> {
  return client.disconnected().then(
    ({ message }) => message,
    () => 'ended',
  )
}

async function sessionsOf(uid: string) {
  const { body } = await person.client.call(operations.sessions.list, { query: { per_page: '100' } })
  return body.filter((one) => one.device_uid === uid)
}

async function register(key: UserKey): Promise<void> {
  const line = `${key.publicKey.type} ${Buffer.from(key.blob).toString('base64')}`
  const data = Buffer.from(line).toString('base64')
  const body = { name: 'key', username: 'root', filter: { hostname: '.*' }, data }
  await person.client.call(operations.publicKeys.create, { body })
}

describe('before login', () => {
  it('disconnects on another user name and signs nobody in', async () => {
    const client = await rawClient(server)
    await client.startAuthentication()
    client.sendPassword(login, 'wrong')
    await client.next(n.MSG_USERAUTH_FAILURE)
    client.sendPassword(device.login('admin'), 'right')
    expect(await ending(client)).toMatch(/user name changed/)
    expect(device.asked.map(({ header }) => header['user'])).toEqual(['root'])
    expect((await sessionsOf(device.device.uid)).map((one) => one.authenticated)).toEqual([false])
  })

  it('checks pipelined credentials one by one, and none after login', async () => {
    const client = await rawClient(server)
    await client.startAuthentication()
    for (const password of ['wrong', 'right', 'wrong']) client.sendPassword(login, password)
    expect([await client.authAnswer(), await client.authAnswer()]).toEqual(['failure', 'success'])
    expect(device.credentials).toHaveLength(2)
    expect(await (await bystander())()).toBe('unaffected')
  })

  it.each<[string, (client: TestClient) => Uint8Array]>([
    [
      'a channel open',
      () => new WireWriter().byte(n.MSG_CHANNEL_OPEN).string('session').uint32(0).uint32(1).uint32(256).done(),
    ],
    ['a global request', (client) => client.globalRequest('tcpip-forward').string('').uint32(0).done()],
    [
      'a request for another service',
      () => new WireWriter().byte(n.MSG_SERVICE_REQUEST).string('ssh-connection').done(),
    ],
    ['an unsolicited answer', () => new WireWriter().byte(61).uint32(0xffff_ffff).done()],
    ['a server-only message', () => Uint8Array.of(n.MSG_USERAUTH_SUCCESS)],
  ])('disconnects on %s before login without contacting a device', async (_, payload) => {
    const client = await rawClient(server)
    await client.startAuthentication()
    client.send(payload(client))
    expect(await ending(client)).not.toBe('')
    await expect.poll(() => client.ended).toBe(true)
    expect(device.asked).toEqual([])
  })

  it('rejects a signature made for another connection', async () => {
    const key = ed25519Key()
    await register(key)
    const offer = { user: login, algorithm: key.algorithm, blob: key.blob, signer: key.sign }
    const first = await rawClient(server)
    await first.startAuthentication()
    first.send(first.publicKeyRequest(offer))
    expect(await first.authAnswer()).toBe('success')
    const replay = await rawClient(server)
    await replay.startAuthentication()
    replay.send(replay.publicKeyRequest({ ...offer, sessionId: first.sessionId }))
    expect(await replay.authAnswer()).toBe('failure')
    expect(device.credentials.map(({ method }) => method)).toEqual(['statement'])
  })

  it.each(['ed25519', 'ecdsa'] as const)('accepts a registered FIDO key (%s) with user presence only', async (kind) => {
    for (const [flags, answer] of [
      [1, 'success'],
      [0, 'failure'],
    ] as const) {
      const key = fidoKey(kind, flags)
      await register(key)
      const client = await rawClient(server)
      await client.startAuthentication()
      client.send(client.publicKeyRequest({ user: login, algorithm: key.algorithm, blob: key.blob, signer: key.sign }))
      expect(await client.authAnswer()).toBe(answer)
    }
  })

  it('binds the statement to connection, account and device for about a minute', async () => {
    const key = ed25519Key()
    await register(key)
    const client = await rawClient(server)
    await client.startAuthentication()
    const before = Math.floor(Date.now() / 1_000)
    client.send(client.publicKeyRequest({ user: login, algorithm: key.algorithm, blob: key.blob, signer: key.sign }))
    expect(await client.authAnswer()).toBe('success')
    const [shown] = device.credentials
    const [, payload = ''] = shown?.method === 'statement' ? shown.statement.split('.') : []
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number; jti: string }
    const { exp, jti, ...about } = claims
    // 128 random bits, so that no two statements are alike.
    expect(jti).toMatch(/^[\w-]{22}$/)
    expect(about).toEqual({ session: client.sessionId?.toString('hex'), user: 'root', device: device.device.uid })
    expect(exp - before).toBeGreaterThanOrEqual(60)
    expect(exp - before).toBeLessThan(120)
  })
})

describe('after login', () => {
  it('refuses channels that only servers open, and unknown requests', async () => {
    const client = await signedIn(server, login)
    for (const type of ['forwarded-tcpip', 'x11', 'auth-agent@openssh.com', 'nonsense']) {
      client.sendOpen(type, 1)
      const failure = await client.read(n.MSG_CHANNEL_OPEN_FAILURE)
      failure.uint32('recipient')
      expect([type, failure.uint32('code')]).toEqual([type, 3])
    }
    for (let count = 0; count < 100; count += 1)
      client.send(client.globalRequest(`nonsense-${count}@example.com`).done())
    for (let count = 0; count < 100; count += 1) await client.next(n.MSG_REQUEST_FAILURE)
    expect(await (await bystander())()).toBe('unaffected')
  })

  it('serves others during 10,000 unknown requests by a client that reads no answer', async () => {
    const check = await bystander()
    const client = await signedIn(server, login)
    client.socket.pause()
    for (let count = 0; count < 10_000; count += 1) client.send(client.globalRequest('nonsense@example.com').done())
    expect(await check()).toBe('unaffected')
  })

  it('refuses a flood of channels above the limit', async () => {
    const check = await bystander()
    const client = await signedIn(server, login)
    for (let id = 0; id < 2_000; id += 1) client.sendOpen('session', id)
    const answers = { opened: 0, refused: 0 }
    for (let id = 0; id < 2_000; id += 1) {
      const [type] = await client.next(n.MSG_CHANNEL_OPEN_CONFIRMATION, n.MSG_CHANNEL_OPEN_FAILURE)
      answers[type === n.MSG_CHANNEL_OPEN_CONFIRMATION ? 'opened' : 'refused'] += 1
    }
    expect(answers).toEqual({ opened: 1_024, refused: 976 })
    expect(await check()).toBe('unaffected')
  })

  it('forwards a flood of window sizes and keeps the event list short', async () => {
    const client = await signedIn(server, login)
    const channel = await client.openSession()
    const pty = client.channelRequest(channel, 'pty-req').string('xterm').uint32(80).uint32(24).uint32(0).uint32(0)
    client.send(pty.string('').done())
    client.send(client.channelRequest(channel, 'shell').done())
    await client.next(n.MSG_CHANNEL_SUCCESS)
    await client.next(n.MSG_CHANNEL_SUCCESS)
    for (let columns = 1; columns <= 10_000; columns += 1) {
      client.send(
        client.channelRequest(channel, 'window-change', false).uint32(columns).uint32(24).uint32(0).uint32(0).done(),
      )
    }
    client.send(client.channelMessage(n.MSG_CHANNEL_EOF, channel).done())
    await client.next(n.MSG_CHANNEL_CLOSE)
    client.socket.destroy()
    const uid = client.sessionId?.toString('hex') ?? ''
    const closed = () => person.client.call(operations.sessions.get, { params: { uid } }).then(({ body }) => body)
    await expect.poll(async () => (await closed()).closed !== null, { timeout: 10_000 }).toBe(true)
    const { items = [] } = (await closed()).events
    const sizes = items.filter(({ type }) => type === 'window-change')
    expect(sizes.at(-1)?.data).toEqual({ columns: 10_000, rows: 24 })
    expect(sizes.length).toBeLessThan(100)
    expect(items.at(-1)).toMatchObject({ type: 'exit-status', data: { status: 0 } })
  })

  it.each([0, 1, 255])('refuses a packet size of %d', async (packetBytes) => {
    const client = await signedIn(server, login)
    client.sendOpen('session', 0, { packetBytes })
    await client.next(n.MSG_CHANNEL_OPEN_FAILURE)
    expect(await (await bystander())()).toBe('unaffected')
  })

  it('closes a connection that sends more bytes than the window, and its process', async () => {
    const hoarder = await fakeDevice(server, person, (kind, _, stream) => {
      if (kind === 'auth') {
        return { data: () => undefined, control: () => stream.control({ type: 'accepted' }), closed: () => undefined }
      }
      stream.control({ type: 'started' })
      return { data: () => undefined, closed: () => undefined }
    })
    const client = await signedIn(server, hoarder.login('root'))
    const channel = await openShell(client)
    // The device takes nothing, so no window comes back beyond what the link holds.
    const chunk = Buffer.alloc(32_768)
    for (let sent = 0; sent < 8 * 1_048_576; sent += chunk.length) client.sendData(channel, chunk)
    expect(await ending(client)).toMatch(/window|ended/)
    await expect
      .poll(async () => (await sessionsOf(hoarder.device.uid))[0]?.closed?.reason, { timeout: 10_000 })
      .toBe('window-overrun')
  })

  it('ends one connection at most for messages of every number and content', async () => {
    const check = await bystander()
    let seed = 42
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff
      return seed % below
    }
    for (let round = 0; round < 40; round += 1) {
      const client = await signedIn(server, login)
      await client.openSession()
      for (let count = 0; count < 20; count += 1) {
        const body = Buffer.from(Array.from({ length: random(64) }, () => random(256)))
        client.send(Buffer.concat([Buffer.of(80 + random(21)), body]))
      }
      client.socket.end()
    }
    expect(await check()).toBe('unaffected')
    expect((await server.fetch('/healthcheck')).status).toBe(200)
  })
})

describe('session list', () => {
  it('shows a misbehaving connection as closed with a cause', async () => {
    const client = await signedIn(server, login)
    client.send(Buffer.of(n.MSG_CHANNEL_DATA, 0, 0, 0, 9, 0, 0, 0, 0))
    await ending(client)
    await expect
      .poll(async () => (await sessionsOf(device.device.uid)).map(({ closed }) => closed?.by), { timeout: 10_000 })
      .toEqual(['gateway'])
  })
})
