// The port for http-01 with clients that want something else.
import { once } from 'node:events'
import { connect } from 'node:net'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { isTunnelHost } from '../../platform/network/tunnel-addresses.ts'
import { type HttpDoor, createHttpDoor } from './http-door.ts'

const TOKEN = 'a-token-of-an-order-under-way'
let door: HttpDoor
let asked: string[] = []
beforeAll(async () => {
  door = createHttpDoor({
    // Never advances, so that no token of a rate limit is refilled however long the calls take.
    clock: new ManualClock(),
    log: silentLog,
    host: '127.0.0.1',
    port: 0,
    connections: { perSource: 200, total: 200, isExempt: () => false },
    find: async (token, name) => {
      asked.push(`${token} ${name}`)
      if (name === 'broken.example') throw new Error('the database is away')
      return token === TOKEN && name === 'own.example' ? 'the proof' : undefined
    },
    isOwnName: (name) => isTunnelHost(name, 'own.example'),
    httpsPort: () => 443,
  })
  await door.start()
})
afterAll(() => door.close())

/** Sends bytes. @returns all that comes until the end */
async function send(text: string): Promise<string> {
  const socket = connect(door.port, '127.0.0.1')
  let answer = ''
  socket
    .setEncoding('utf8')
    .on('data', (chunk: string) => (answer += chunk))
    .on('error', () => undefined)
  socket.write(text)
  await once(socket, 'close')
  return answer
}
const get = (path: string, host = 'own.example', more = '') =>
  send(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`)

describe('the port for http-01', () => {
  it('answers a token for its name, whatever the case and port of that', async () => {
    expect(await get(`/.well-known/acme-challenge/${TOKEN}`, 'Own.Example:80')).toMatch(/ 200 OK[^]*the proof$/)
    expect(await get(`/.well-known/acme-challenge/${TOKEN}`, 'other.example')).toContain(' 404 ')
  })

  it.each(['evil.example/.own.example', 'evil.example?.own.example', 'evil.example#.own.example', 'u@b.own.example'])(
    'redirects nobody to %s, a host that only ends like its own',
    async (host) => {
      expect(await get('/page', host)).toMatch(/^HTTP\/1.1 421 /)
    },
  )

  it.each(['short', '../../etc/passwd', `${TOKEN}/more`, `${TOKEN}?x`, 'a'.repeat(200)])(
    'asks the database for no token such as %s',
    async (token) => {
      asked = []
      await get(`/.well-known/acme-challenge/${token}`)
      expect(asked).toEqual([])
    },
  )

  it('leads to https without a port where that is the standard’s, and keeps no connection', async () => {
    const answer = await get('/a?b=c')
    expect(answer).toContain('\r\nlocation: https://own.example/a?b=c\r\n')
    expect(answer).toContain('\r\nconnection: close\r\n')
  })

  it('ends connections that ask for another protocol or speak none', async () => {
    expect(await get('/', 'own.example', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')).toBe('')
    expect(await send('\u0016\u0003\u0001 this is no HTTP\r\n\r\n')).toBe('')
  })

  it('answers 503 while the database is away', async () => {
    expect(await get(`/.well-known/acme-challenge/${TOKEN}`, 'broken.example')).toContain(' 503 ')
  })

  it('answers 429 to a source that asks for too many tokens', async () => {
    const answers = await Promise.all(
      Array.from({ length: 130 }, () => get(`/.well-known/acme-challenge/${'b'.repeat(43)}`)),
    )
    expect(answers.filter((answer) => answer.includes(' 429 ')).length).toBeGreaterThan(0)
  })
})
