// Cost of bodies that are sent without a credential, partially, or aborted. Over raw sockets.
import { type Socket, connect } from 'node:net'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Log, silentLog } from '../../platform/log.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { createBodyBudget } from './bodies.ts'

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

describe('bodies of all sources together', () => {
  const request = (ip: string, bytes: number) => {
    const raw = new PassThrough()
    const parts = { ip, raw, headers: { 'content-length': String(bytes) }, routeOptions: { bodyLimit: 1_000 } }
    return { raw, request: parts as unknown as FastifyRequest }
  }

  it('drops the oldest body of the heaviest source when they exceed the limit', () => {
    const budget = createBodyBudget({ perSource: 800, total: 1_000 })
    const [first, second, small] = [request('10.0.0.1', 300), request('10.0.0.1', 300), request('10.0.0.2', 200)]
    for (const one of [first, second, small]) budget.admit(one.request)
    expect(budget.bytes).toBe(800)
    budget.admit(request('10.0.0.3', 300).request)
    expect([first, second, small].map(({ raw }) => raw.destroyed)).toEqual([true, false, false])
    expect(budget.bytes).toBe(800)
  })

  it('counts a body without a length as the largest that the call takes, until it has arrived', async () => {
    const budget = createBodyBudget({ perSource: 2_000, total: 2_000 })
    const chunked = request('10.0.0.1', 0)
    Object.assign(chunked.request.headers, { 'transfer-encoding': 'chunked' })
    budget.admit(chunked.request)
    expect(budget.bytes).toBe(1_000)
    chunked.raw.resume().end()
    await once(chunked.raw, 'end')
    expect(budget.bytes).toBe(0)
  })
})
