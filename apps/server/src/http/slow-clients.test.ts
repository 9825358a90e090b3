// Slow clients, malicious or not: the server drops them without affecting others. Raw sockets; timeouts are short here,
// and there are as many connections as an attacker opens.
import { once } from 'node:events'
import { type AddressInfo, type Socket, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '@bowline/contract/operations'
import { systemClock } from '@bowline/base/clock'
import { silentLog } from '../platform/log.ts'
import { publicRoute } from './route.ts'
import { createHttpServer } from './server.ts'

const COUNT = 300

let server: FastifyInstance
let port: number
beforeAll(async () => {
  const login = publicRoute(operations.auth.login, () => Promise.reject(new Error('nobody gets here')))
  const health = publicRoute(operations.instance.health, () => Promise.resolve())
  server = await createHttpServer({
    isKnownHost: () => true,
    clock: systemClock,
    log: silentLog,
    authenticator: { admit: (_, base) => Promise.resolve(base) },
    routes: [login, health],
    trustedProxies: [],
    tunnels: {
      isTunnelHost: (host) => host === 'tunnel.example',
      isTrustedProxy: () => false,
      serve(request, response) {
        request.pipe(response)
      },
    },
    clientTimeouts: { headMs: 400, requestMs: 800, checkMs: 100 },
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  port = (server.server.address() as AddressInfo).port
})
afterAll(() => server.close())

/** Connections that have sent `bytes` and send one more byte every now and then, until the server ends them. */
async function slowly(bytes: string): Promise<{ sockets: Socket[]; answers: Promise<string[]> }> {
  const sockets = Array.from({ length: COUNT }, () => connect(port, '127.0.0.1'))
  const answers = sockets.map((socket) => {
    socket.on('error', () => undefined)
    const trickle = setInterval(() => socket.write('a'), 50)
    socket.once('close', () => clearInterval(trickle))
    return text(socket).catch(() => '')
  })
  await Promise.all(
    sockets.map(async (socket) => {
      await once(socket, 'connect')
      socket.write(bytes)
    }),
  )
  return { sockets, answers: Promise.all(answers) }
}

const isHealthy = async () => (await fetch(`http://127.0.0.1:${port}/healthcheck`)).status
const HEAD = 'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

describe(`${COUNT} clients at once`, () => {
  it.each([
    ['that never send anything', ''],
    ['that never end a request line', 'GET /healthcheck?'],
    ['that never end a head', `${HEAD}X-Slow: `],
    ['that never end a body', `${HEAD}Content-Length: 8000\r\n\r\n{"username":"`],
    ['that never end a chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\nfffff\r\n{"username":"`],
  ])('drops slow clients %s and serves others meanwhile', async (_, bytes) => {
    const { sockets, answers } = await slowly(bytes)
    expect(await isHealthy()).toBe(200)
    const received = await answers
    expect(sockets.filter((socket) => !socket.destroyed)).toEqual([])
    expect(received.filter((answer) => !/^HTTP\/1\.1 4(00|08|29) /.test(answer))).toEqual([])
    expect(await isHealthy()).toBe(200)
  })
})

it('lets the body of a tunnel’s request take longer than a request of the API may', async () => {
  const socket = connect(port, '127.0.0.1')
  const answer = text(socket)
  socket.write('POST / HTTP/1.1\r\nHost: tunnel.example\r\nConnection: close\r\nContent-Length: 30\r\n\r\n')
  // Longer than the time for a request and several of its checks.
  let left = 30
  const trickle = setInterval(() => {
    socket.write('a')
    left -= 1
    if (left === 0) clearInterval(trickle)
  }, 50)
  const received = await answer
  expect(received).toMatch(/^HTTP\/1\.1 200 /)
  expect(received.match(/a/g)?.length).toBeGreaterThanOrEqual(30)
})
