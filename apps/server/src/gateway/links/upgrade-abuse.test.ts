// WebSockets that break RFC 6455 or grow without end, at each of the three doors: refused, or ended before they cost.
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
import { until } from '../../testing/until.ts'

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

interface Door {
  readonly path: () => Promise<string>
  readonly headers: () => Readonly<Record<string, string>>
}

/** The three doors, each with what it takes to get in. */
const DOORS: Readonly<Record<string, Door>> = {
  '/ws/ssh': {
    async path() {
      // A device that judges nothing: the terminal waits, and ends for no other reason.
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
const NAMES = Object.keys(DOORS)

interface Upgraded {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly socket: Socket
  /** What the server has said so far. */
  readonly said: () => Buffer
  /** Resolves with what the server has said when it has ended the connection. */
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
  const said: Buffer[] = [head]
  socket.on('error', () => undefined).on('data', (piece: Buffer) => said.push(piece))
  const ended = new Promise<Buffer>((resolve) => socket.once('close', () => resolve(Buffer.concat(said))))
  return { status: response.statusCode ?? 0, headers: response.headers, socket, said: () => Buffer.concat(said), ended }
}

async function enter(name: string, more: Readonly<Record<string, string>> = {}): Promise<Upgraded> {
  const door = DOORS[name]
  if (!door) throw new Error('no such door')
  const entered = await upgrade(await door.path(), { ...door.headers(), ...more })
  expect(entered.status).toBe(101)
  return entered
}

/** A frame of RFC 6455 section 5.2, masked with zeros. @param first its first byte; `claims` the length that it tells */
function frame(first: number, payload: Buffer, claims: number | bigint = payload.length): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(claims))
  const head = claims < 126 ? [first, 0x80 | Number(claims)] : [first, 0xff, ...length]
  return Buffer.concat([Buffer.from(head), Buffer.alloc(4), payload])
}

/** How a server answers a ping. */
const pongOf = (text: string): Buffer => Buffer.from([FIN | PONG, text.length, ...Buffer.from(text)])

/** The code of the close frame at the end of what the server has said (RFC 6455 section 7.4.1). */
function codeOf(said: Buffer): number | undefined {
  const at = said.lastIndexOf(0x88)
  return at < 0 || at + 4 > said.length ? undefined : said.readUInt16BE(at + 2)
}

/** RFC 6455 section 7.4.1. */
const [NORMAL, PROTOCOL_ERROR, TOO_BIG] = [1000, 1002, 1009]
const [BINARY, CLOSE, PING, PONG, FIN, COMPRESSED] = [0x2, 0x8, 0x9, 0xa, 0x80, 0x40]

describe.each(NAMES)('the door at %s', (name) => {
  it('opens to nobody without what it asks for', async () => {
    const [bare, wrong] = await Promise.all([
      upgrade(name, { Origin: server.origin }),
      upgrade(`${name}?token=wrong`, { Origin: server.origin, Authorization: 'Bearer wrong' }),
    ])
    expect([bare.status, wrong.status].filter((status) => ![400, 401].includes(status))).toEqual([])
  })

  it('compresses nothing, and takes nothing that is compressed', async () => {
    const { headers, socket, ended } = await enter(name, { 'Sec-WebSocket-Extensions': 'permessage-deflate' })
    expect(headers['sec-websocket-extensions']).toBeUndefined()
    socket.write(frame(FIN | COMPRESSED | BINARY, Buffer.alloc(100)))
    expect(codeOf(await ended)).toBe(PROTOCOL_ERROR)
  })

  it.each([
    ['a ping in fragments', () => frame(PING, Buffer.from('half'))],
    ['a ping of more than 125 bytes', () => frame(FIN | PING, Buffer.alloc(200))],
    ['a frame of an unknown kind', () => frame(FIN | 0x5, Buffer.alloc(4))],
  ])('ends who sends %s, and nobody else', async (_, bytes) => {
    const [{ socket, ended }, bystander] = [await enter(name), await enter(name)]
    socket.write(bytes())
    expect(codeOf(await ended)).toBe(PROTOCOL_ERROR)
    bystander.socket.write(frame(FIN | PING, Buffer.from('still here?')))
    await until(() => bystander.said().includes(pongOf('still here?')))
    expect(codeOf(bystander.said())).toBeUndefined()
  })

  it('answers a ping that comes between the fragments of a message', async () => {
    const { socket, said } = await enter(name)
    socket.write(Buffer.concat([frame(BINARY, Buffer.alloc(1)), frame(FIN | PING, Buffer.from('in between'))]))
    await until(() => said().includes(pongOf('in between')))
    expect(codeOf(said())).toBeUndefined()
  })

  it('ends who begins a message within another', async () => {
    const { socket, ended } = await enter(name)
    socket.write(Buffer.concat([frame(BINARY, Buffer.alloc(1)), frame(FIN | BINARY, Buffer.alloc(1))]))
    expect(codeOf(await ended)).toBe(PROTOCOL_ERROR)
  })

  it.each([1_073_741_824, 2n ** 63n])('ends who announces a message of %d bytes', async (claims) => {
    const { socket, ended } = await enter(name)
    socket.write(frame(FIN | BINARY, Buffer.alloc(65_536), claims))
    expect(codeOf(await ended)).toBe(TOO_BIG)
  })

  it('outlives a flood of pings whose answers nobody reads', async () => {
    const { socket } = await enter(name)
    socket.pause()
    const pings = Buffer.concat(Array.from({ length: 2_000 }, () => frame(FIN | PING, Buffer.alloc(125))))
    for (let round = 0; round < 20; round += 1) socket.write(pings)
    expect((await fetch(`${server.origin}/healthcheck`)).status).toBe(200)
  })
})

// The door at /ws/ssh is greeted by the upgrade itself; the link's handshake has a clock of its own (its `handshake.test.ts`).
it('keeps two unproved links of a device, and drops the oldest for a newer one', async () => {
  const open = () => upgrade(LINK_PATH, DOORS[LINK_PATH]?.headers() ?? {})
  const [oldest, second] = [await open(), await open()]
  await until(() => oldest.said().length > 0 && second.said().length > 0)
  const newest = await open()
  await oldest.ended
  await until(() => newest.said().length > 0)
  expect([second.socket.destroyed, newest.socket.destroyed]).toEqual([false, false])
  for (const { socket } of [second, newest]) socket.destroy()
})

it(`the door at ${TERMINAL_PATH} closes behind who says nothing for ten seconds`, async () => {
  const { socket, said, ended } = await enter(TERMINAL_PATH)
  clock.advance(9_999)
  socket.write(frame(FIN | PING, Buffer.from('still here?')))
  await until(() => said().includes('still here?'))
  expect(codeOf(said())).toBeUndefined()
  clock.advance(1)
  await until(() => codeOf(said()) === NORMAL)
  socket.write(frame(FIN | CLOSE, Buffer.alloc(0)))
  await ended
})
