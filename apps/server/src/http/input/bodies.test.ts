// Cost of bodies that are sent without a credential, partially, or aborted. Over raw sockets.
import { type Socket, connect } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Log, silentLog } from '../../platform/log.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'

let server: BootedServer
let ada: Person
/** Events that were logged as errors. */
const errors: string[] = []
const log: Log = { ...silentLog, error: (event) => void errors.push(event), child: () => log }
beforeAll(async () => {
  server = await bootServer({ log, settings: { BOWLINE_MAX_HTTP_CONNECTIONS_PER_SOURCE: '400' } })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

/** Sends a head that promises a body of `bytes`, from an address of this machine. */
async function begin(head: readonly string[], bytes: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const { port } = new URL(server.origin)
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const fields = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${bytes}`]
  socket.write(`${[...head, ...fields].join('\r\n')}\r\n\r\n`)
  return socket
}
const statusOf = async (socket: Socket) => String(((await once(socket, 'data')) as [Buffer])[0]).split(' ')[1]

describe('request bodies', () => {
  it('answers 401 before the body arrives when the credential is missing or wrong', async () => {
    for (const line of ['X-Nothing: x', 'Authorization: Bearer wrong', 'X-API-Key: wrong']) {
      const socket = await begin([`PUT /api/namespaces/${ada.tenant} HTTP/1.1`, line], 5_000)
      expect(await statusOf(socket)).toBe('401')
      socket.destroy()
    }
  })

  it('logs no error when a client aborts its body', async () => {
    const socket = await begin(['POST /api/login HTTP/1.1'], 5_000)
    socket.write('{"username":')
    // The server has begun to read when it answers the next one.
    await server.fetch('/healthcheck')
    socket.destroy()
    await once(socket, 'close')
    await server.fetch('/healthcheck')
    expect(errors).toEqual([])
  })

  it('answers 429 to a source with too many partial bodies and serves other sources', async () => {
    // Registrations may have the largest body without a credential: 25 of them fill one source's share.
    const sockets = await Promise.all(
      Array.from({ length: 26 }, () => begin(['POST /api/devices/auth HTTP/1.1'], 81_920, '127.0.0.2')),
    )
    expect(await Promise.race(sockets.map(statusOf))).toBe('429')
    await server.registerDevice(ada.tenant)
    for (const socket of sockets) socket.destroy()
  })
})

it('rejects further connections of a source at its limit and accepts other sources', async () => {
  const { port } = new URL(server.origin)
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: '127.0.0.3' })
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  const held = await Promise.all(Array.from({ length: 400 }, open))
  const late = await open()
  await once(late, 'close')
  expect((await server.fetch('/healthcheck')).status).toBe(200)
  for (const socket of held) socket.destroy()
})
