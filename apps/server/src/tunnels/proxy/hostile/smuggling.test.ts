// Requests that two HTTP parsers could read differently, by raw sockets: none of them reaches a service, and a request
// that does is exactly one.
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../../testing/boot.ts'
import { TUNNEL_SETTINGS, openTunnel, tcpService, tunnelDevice } from '../../testing/device.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: TUNNEL_SETTINGS })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

/** A tunnel to a service that answers every connection once and keeps what it has read. */
async function recorder(): Promise<{ host: string; seen: string[] }> {
  const seen: string[] = []
  const port = await tcpService((socket) => {
    const at = seen.push('') - 1
    socket.on('data', (bytes: Buffer) => {
      seen[at] += bytes.toString('latin1')
      if (/\r\n\r\n/.test(seen[at] ?? '')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
    socket.on('error', () => undefined)
  })
  const device = await tunnelDevice(server, person)
  return { host: (await openTunnel(person, device, port)).full_address, seen }
}

/**
 * Sends bytes and reads until the server closes the connection.
 * @param leave closes this side after the first bytes of the answer
 */
function send(text: string, leave = true): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(server.origin)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    let answer = ''
    socket.on('data', (bytes: Buffer) => {
      answer += bytes.toString('latin1')
      if (leave) socket.end()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', () => undefined)
    socket.write(text, 'latin1')
  })
}

const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n'

it.each([
  ['both lengths', `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['both lengths, reversed', `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['two encodings', `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['an encoding twice', `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['an unknown encoding', `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['an encoding behind chunked', `Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['an encoding before chunked', `Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['a space before the colon', `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['two lengths', `Content-Length: 0\r\nContent-Length: 40\r\n\r\n${HIDDEN}`],
  ['a list of lengths', `Content-Length: 0, 40\r\n\r\n${HIDDEN}`],
  ['a signed length', `Content-Length: +0\r\n\r\n${HIDDEN}`],
  ['a negative length', `Content-Length: -1\r\n\r\n${HIDDEN}`],
  ['a folded header', `X-A: 1\r\n Transfer-Encoding: chunked\r\n\r\n${HIDDEN}`],
  ['a bare LF between headers', `X-A: 1\nContent-Length: 0\r\n\r\n${HIDDEN}`],
  ['a bare CR in a value', `X-A: 1\rContent-Length: 0\r\n\r\n${HIDDEN}`],
  ['a NUL in a value', `X-A: 1\0\r\n\r\n${HIDDEN}`],
  ['a second Host', `Host: other.example\r\n\r\n`],
  ['a bad chunk size', `Transfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n${HIDDEN}`],
  ['a chunk without its end', `Transfer-Encoding: chunked\r\n\r\n1\r\nabc0\r\n\r\n${HIDDEN}`],
  ['a bare LF behind a chunk size', `Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n${HIDDEN}`],
  ['a bare LF behind a chunk', `Transfer-Encoding: chunked\r\n\r\n1\r\na\n0\r\n\r\n${HIDDEN}`],
  ['a bare LF in a chunk extension', `Transfer-Encoding: chunked\r\n\r\n2;a\nxx\r\n2f\r\n0\r\n\r\n${HIDDEN}0\r\n\r\n`],
  ['a chunk size beyond all numbers', `Transfer-Encoding: chunked\r\n\r\n10000000000000001\r\na\r\n0\r\n\r\n${HIDDEN}`],
  ['a vertical tab before an encoding', `Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['an encoding in quotes', `Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['an empty encoding', `Transfer-Encoding:\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['an empty length', `Content-Length:\r\n\r\n${HIDDEN}`],
  ['a length in hexadecimal', `Content-Length: 0x0\r\n\r\n${HIDDEN}`],
  ['a bare LF at the end of its head', `Transfer-Encoding: chunked\n\n0\r\n\r\n${HIDDEN}`],
])('refuses a request with %s', async (_, rest) => {
  const { host, seen } = await recorder()
  const answer = await send(`POST / HTTP/1.1\r\nHost: ${host}\r\n${rest}`)
  expect(answer).not.toMatch(/^HTTP\/1\.1 2/)
  expect(seen.join('')).not.toContain('/hidden')
})

it.each(['http://other.example/', 'x', '*'])('refuses the request target %s', async (target) => {
  const { host, seen } = await recorder()
  expect(await send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
  expect(seen).toEqual([])
})

it('gives each pipelined request a connection of its own', async () => {
  const { host, seen } = await recorder()
  const one = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`
  const answer = await send(one('/a') + one('/b', 'Connection: close\r\n'), false)
  expect(answer.match(/200 OK/g)).toHaveLength(2)
  expect(new Set(seen.map((text) => text.split(' ')[1]))).toEqual(new Set(['/a', '/b']))
  expect(seen).toHaveLength(2)
})

it('answers long addresses and large heads without asking the service', async () => {
  const { host, seen } = await recorder()
  expect(await send(`GET /${'x'.repeat(9_000)} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
    / 414 /,
  )
  expect(await send(`GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/ 431 /)
  expect(seen).toEqual([])
})
