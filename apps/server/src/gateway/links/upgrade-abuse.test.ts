// WebSockets that violate RFC 6455 or exceed limits, at each of the three endpoints: refused, or closed early.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { operations } from '@bowline/contract/operations'
import { TERMINAL_PATH, TERMINAL_SUBPROTOCOL } from '@bowline/contract/terminal/messages'
import { LINK_PATH, LINK_SUBPROTOCOL } from '@bowline/link/upgrade'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, type RegisteredDevice, bootServer } from '../../testing/boot.ts'
import { DEVICE_PASSWORD, fakeDevice } from '../../testing/gateway.ts'
import { until } from '@bowline/testkit/until'

const clock = new ManualClock(Date.now())
let server: BootedServer
let person: Person
let device: RegisteredDevice
beforeAll(async () => {
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  person = await server.setUpAccount()
  device = await server.acceptedDevice(person)
})
afterAll(() => server.close())

interface Endpoint {
  readonly path: () => Promise<string>
  readonly headers: () => Readonly<Record<string, string>>
}

/** The three endpoints, each with its credentials. */
const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/ws/ssh': {
    async path() {
      // A device that never answers a credential check: the terminal waits, and ends for no other reason.
      const slow = await fakeDevice(server, person, () => ({ data: () => undefined, closed: () => undefined }))
      const body = { device: slow.device.uid, username: 'root', password: DEVICE_PASSWORD }
      const { body: made } = await person.client.call(operations.terminals.openLegacy, { body })
      return `/ws/ssh?token=${made.token}`
    },
    headers: () => ({ Origin: server.origin }),
  },
  [TERMINAL_PATH]: {
    path: () => Promise.resolve(TERMINAL_PATH),
    headers: () => ({ Origin: server.origin, 'Sec-WebSocket-Protocol': TERMINAL_SUBPROTOCOL }),
  },
  [LINK_PATH]: {
    path: () => Promise.resolve(LINK_PATH),
    headers: () => ({ Authorization: `Bearer ${device.token}`, 'Sec-WebSocket-Protocol': LINK_SUBPROTOCOL }),
  },
}
const NAMES = Object.keys(ENDPOINTS)

interface Upgraded {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly socket: Socket
  /** Bytes received so far. */
  readonly received: () => Buffer
  /** Resolves with all received bytes when the server has closed the connection. */
  readonly ended: Promise<Buffer>
}

async function upgrade(path: string, headers: Readonly<Record<string, string>>): Promise<Upgraded> {
  const outgoing = request(server.origin, {
    path,
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': Buffer.alloc(16, 7).toString('base64'),
      ...headers,
    },
  })
  const answered = Promise.race([once(outgoing, 'upgrade'), once(outgoing, 'response')])
  outgoing.end()
  const [response, socket = response.socket, head = Buffer.alloc(0)] = (await answered) as [
    IncomingMessage,
    Socket | undefined,
    Buffer | undefined,
  ]
  onTestFinished(() => void socket.destroy())
  const received: Buffer[] = [head]
  socket.on('error', () => undefined).on('data', (piece: Buffer) => received.push(piece))
  const ended = new Promise<Buffer>((resolve) => socket.once('close', () => resolve(Buffer.concat(received))))
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    socket,
    received: () => Buffer.concat(received),
    ended,
  }
}

async function enter(name: string, more: Readonly<Record<string, string>> = {}): Promise<Upgraded> {
  const endpoint = ENDPOINTS[name]
  if (!endpoint) throw new Error('no such endpoint')
  const entered = await upgrade(await endpoint.path(), { ...endpoint.headers(), ...more })
  expect(entered.status).toBe(101)
  return entered
}

/** A frame of RFC 6455 section 5.2, masked with zeros. @param first first byte; `claims` the declared length */
function frame(first: number, payload: Buffer, claims: number | bigint = payload.length): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(claims))
  const head = claims < 126 ? [first, 0x80 | Number(claims)] : [first, 0xff, ...length]
  return Buffer.concat([Buffer.from(head), Buffer.alloc(4), payload])
}

/** The server's pong to a ping. */
const pongOf = (text: string): Buffer => Buffer.from([FIN | PONG, text.length, ...Buffer.from(text)])

/** The code of the close frame at the end of the received bytes (RFC 6455 section 7.4.1). */
function codeOf(received: Buffer): number | undefined {
  const at = received.lastIndexOf(0x88)
  return at < 0 || at + 4 > received.length ? undefined : received.readUInt16BE(at + 2)
}

/** RFC 6455 section 7.4.1. */
const [NORMAL, PROTOCOL_ERROR, TOO_BIG] = [1000, 1002, 1009]
const [BINARY, CLOSE, PING, PONG, FIN, COMPRESSED] = [0x2, 0x8, 0x9, 0xa, 0x80, 0x40]

describe.each(NAMES)('WebSocket endpoint %s', (name) => {
  it('refuses upgrades without valid credentials', async () => {
    const [bare, wrong] = await Promise.all([
      upgrade(name, { Origin: server.origin }),
      upgrade(`${name}?token=wrong`, { Origin: server.origin, Authorization: 'Bearer wrong' }),
    ])
    expect([bare.status, wrong.status].filter((status) => ![400, 401].includes(status))).toEqual([])
  })

  it('neither compresses nor accepts compressed frames', async () => {
    const { headers, socket, ended } = await enter(name, { 'Sec-WebSocket-Extensions': 'permessage-deflate' })
    expect(headers['sec-websocket-extensions']).toBeUndefined()
    socket.write(frame(FIN | COMPRESSED | BINARY, Buffer.alloc(100)))
    expect(codeOf(await ended)).toBe(PROTOCOL_ERROR)
  })

  it.each([
    ['a fragmented ping', () => frame(PING, Buffer.from('half'))],
    ['a ping of more than 125 bytes', () => frame(FIN | PING, Buffer.alloc(200))],
    ['a frame of an unknown kind', () => frame(FIN | 0x5, Buffer.alloc(4))],
  ])('closes only the connection that sends %s', async (_, bytes) => {
    const [{ socket, ended }, bystander] = [await enter(name), await enter(name)]
    socket.write(bytes())
    expect(codeOf(await ended)).toBe(PROTOCOL_ERROR)
    bystander.socket.write(frame(FIN | PING, Buffer.from('still here?')))
    await until(() => bystander.received().includes(pongOf('still here?')))
    expect(codeOf(bystander.received())).toBeUndefined()
  })

  it('answers a ping between the fragments of a message', async () => {
    const { socket, received } = await enter(name)
    socket.write(Buffer.concat([frame(BINARY, Buffer.alloc(1)), frame(FIN | PING, Buffer.from('in between'))]))
    await until(() => received().includes(pongOf('in between')))
    expect(codeOf(received())).toBeUndefined()
  })

  it('closes a connection that starts a message within another', async () => {
    const { socket, ended } = await enter(name)
    socket.write(Buffer.concat([frame(BINARY, Buffer.alloc(1)), frame(FIN | BINARY, Buffer.alloc(1))]))
    expect(codeOf(await ended)).toBe(PROTOCOL_ERROR)
  })

  it.each([1_073_741_824, 2n ** 63n])('closes a connection that announces a message of %d bytes', async (claims) => {
    const { socket, ended } = await enter(name)
    socket.write(frame(FIN | BINARY, Buffer.alloc(65_536), claims))
    expect(codeOf(await ended)).toBe(TOO_BIG)
  })

  it('survives a flood of pings with unread answers', async () => {
    const { socket } = await enter(name)
    socket.pause()
    const pings = Buffer.concat(Array.from({ length: 2_000 }, () => frame(FIN | PING, Buffer.alloc(125))))
    for (let round = 0; round < 20; round += 1) socket.write(pings)
    expect((await fetch(`${server.origin}/healthcheck`)).status).toBe(200)
  })
})

// /ws/ssh needs no greeting after the upgrade; the link's handshake has a timeout of its own (its `handshake.test.ts`).
it('keeps two unproved links of a device, and drops the oldest for a newer one', async () => {
  const open = () => upgrade(LINK_PATH, ENDPOINTS[LINK_PATH]?.headers() ?? {})
  const [oldest, second] = [await open(), await open()]
  await until(() => oldest.received().length > 0 && second.received().length > 0)
  const newest = await open()
  await oldest.ended
  await until(() => newest.received().length > 0)
  expect([second.socket.destroyed, newest.socket.destroyed]).toEqual([false, false])
  for (const { socket } of [second, newest]) socket.destroy()
})

it(`closes a WebSocket at ${TERMINAL_PATH} that sends no greeting within ten seconds`, async () => {
  const { socket, received, ended } = await enter(TERMINAL_PATH)
  clock.advance(9_999)
  socket.write(frame(FIN | PING, Buffer.from('still here?')))
  await until(() => received().includes('still here?'))
  expect(codeOf(received())).toBeUndefined()
  clock.advance(1)
  await until(() => codeOf(received()) === NORMAL)
  socket.write(frame(FIN | CLOSE, Buffer.alloc(0)))
  await ended
})
