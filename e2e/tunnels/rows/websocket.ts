// WebSockets (RFC 6455), by a client that sees what a browser sees, and more.
import { randomBytes } from 'node:crypto'
import { type ClientOptions, WebSocket } from 'ws'
import { until } from '../../support/wait.ts'
import type { Row, Site } from '../row.ts'
import { endings } from '../services/websocket.ts'

interface Socket {
  readonly socket: WebSocket
  /** Messages so far, texts as they are, bytes as buffers. */
  readonly heard: (string | Buffer)[]
  /** Code and reason of its end. */
  readonly closed: Promise<string>
}

let count = 0

async function dial(site: Site, path = '/', protocols: string[] = [], options: ClientOptions = {}): Promise<Socket> {
  const socket = new WebSocket(`ws://${site.authority}${path}`, protocols, {
    perMessageDeflate: false,
    createConnection: () => site.dial() as never,
    ...options,
  })
  const heard: (string | Buffer)[] = []
  socket.on('message', (data: Buffer, isBinary) => heard.push(isBinary ? data : String(data)))
  const closed = new Promise<string>((resolve) =>
    socket.on('close', (code, reason) => resolve(`${code} ${String(reason)}`)),
  )
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.on('error', () => undefined)
  return { socket, heard, closed }
}

const arrived = ({ heard }: Socket, messages: number): Promise<true> =>
  until(`${messages} messages come`, () => heard.length >= messages)

/** What the service saw of the end of a socket that `leave` ends. */
async function endSeen(site: Site, leave: (socket: WebSocket) => void): Promise<unknown> {
  const path = `/end-${(count += 1)}`
  const { socket } = await dial(site, path)
  leave(socket)
  return until('the service sees the end', () => endings.get(path))
}

const FEATURES: Readonly<Record<string, (site: Site) => Promise<unknown>>> = {
  'texts and bytes': async (site) => {
    const one = await dial(site)
    one.socket.send('héllo')
    one.socket.send(Buffer.from([0, 255, 1]))
    one.socket.send('')
    await arrived(one, 3)
    one.socket.terminate()
    return one.heard.map((message) => (typeof message === 'string' ? message : message.toString('hex')))
  },
  'a message of 4 MiB': async (site) => {
    const one = await dial(site)
    const bytes = randomBytes(4 * 1024 * 1024)
    one.socket.send(bytes)
    await arrived(one, 1)
    one.socket.terminate()
    if (!bytes.equals(one.heard[0] as Buffer)) throw new Error('other bytes came back')
    return 'the same'
  },
  'a message in fragments': async (site) => {
    const one = await dial(site)
    for (const piece of ['one ', 'two ']) one.socket.send(piece, { fin: false })
    one.socket.send('three', { fin: true })
    await arrived(one, 1)
    one.socket.terminate()
    return one.heard
  },
  'pings of the client': async (site) => {
    const { socket } = await dial(site)
    const pong = new Promise((resolve) => socket.on('pong', (payload) => resolve(String(payload))))
    socket.ping('anybody?')
    const payload = await pong
    socket.terminate()
    return payload
  },
  'pings of the service': async (site) => {
    const one = await dial(site)
    one.socket.send('ping me')
    await arrived(one, 1)
    one.socket.terminate()
    return one.heard
  },
  'compression (permessage-deflate)': async (site) => {
    const one = await dial(site, '/', [], { perMessageDeflate: { threshold: 0 } })
    one.socket.send('again and '.repeat(2_000))
    await arrived(one, 1)
    const { extensions } = one.socket
    one.socket.terminate()
    return [extensions, one.heard]
  },
  subprotocols: async (site) => {
    const { socket } = await dial(site, '/', ['board.v3', 'board.v2'])
    const { protocol } = socket
    socket.terminate()
    return protocol
  },
  'a refusal with its status and headers': (site) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://${site.authority}/refused`, { createConnection: () => site.dial() as never })
      socket.on('error', () => undefined).on('open', () => reject(new Error('it has been accepted')))
      socket.on('unexpected-response', (outgoing, answer) => {
        resolve([answer.statusCode, answer.headers['x-why']])
        outgoing.destroy()
      })
    }),
  'a close of the service: code and reason': async (site) => {
    const { socket, closed } = await dial(site)
    socket.send('close me')
    return closed
  },
  'a close of the client: code and reason': (site) => endSeen(site, (socket) => socket.close(4_002, 'done')),
  'a service that drops the connection': async (site) => {
    const { socket, closed } = await dial(site)
    socket.send('drop me')
    return closed
  },
  'a client that drops the connection': (site) => endSeen(site, (socket) => socket.terminate()),
  '50 at once': async (site) => {
    const all = await Promise.all(Array.from({ length: 50 }, () => dial(site)))
    all.forEach(({ socket }, at) => socket.send(`socket ${at}`))
    await Promise.all(all.map((one) => arrived(one, 1)))
    for (const { socket } of all) socket.terminate()
    return all.flatMap(({ heard }) => heard)
  },
}

export const webSocketRows: readonly Row[] = Object.entries(FEATURES).map(([feature, run]) => ({
  service: 'WebSocket',
  client: 'HTTP/1.1',
  feature,
  run,
}))
