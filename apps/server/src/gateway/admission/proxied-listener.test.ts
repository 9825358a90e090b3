// The HTTP listener behind balancers that pass bytes on unread and name the client in a PROXY header.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../testing/boot.ts'

/** Only this client may read the metrics, so that their status tells which address the server has seen. */
const READER = '192.0.2.9'
const OTHER = '198.51.100.7'
const headerOf = (client: string): string => `PROXY TCP4 ${client} 203.0.113.1 40000 443\r\n`

/** @param address a client's IPv4 address. @returns a version 2 header with it */
function binaryHeader(address: string): Buffer {
  const start = Buffer.from('\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c', 'latin1')
  return Buffer.concat([
    start,
    Buffer.from(address.split('.').map(Number)),
    Buffer.from([203, 0, 113, 1, 1, 1, 1, 187]),
  ])
}

describe.each([
  ['HTTP', false],
  ['HTTPS', true],
])('PROXY headers in front of %s', (_, secure) => {
  let folder: string
  let server: BootedServer
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bowline-proxied-'))
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=localhost',
    ]
    execFileSync('openssl', [...args, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    server = await bootServer({
      settings: {
        BOWLINE_TRUSTED_PROXIES: '127.0.0.1',
        BOWLINE_METRICS_SOURCES: READER,
        ...(secure ? { BOWLINE_TLS_CERT_FILE: cert, BOWLINE_TLS_KEY_FILE: key } : {}),
      },
    })
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  /** Status line of `GET /metrics` after these first bytes; '' when the server drops the connection. */
  async function ask(first: string | Buffer, header = '', from = '127.0.0.1'): Promise<string> {
    const socket = connect({ port: Number(new URL(server.origin).port), host: '127.0.0.1', localAddress: from })
    socket.on('error', () => undefined)
    if (first.length > 0) socket.write(first)
    const stream = secure ? connectTls({ socket, rejectUnauthorized: false }) : socket
    stream.on('error', () => undefined)
    stream.write(`GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${header}\r\n`)
    return (await text(stream).catch(() => '')).split('\r\n')[0] ?? ''
  }

  it('takes the client’s address from a header of either version', async () => {
    for (const of of [headerOf, binaryHeader]) {
      expect([await ask(of(READER)), await ask(of(OTHER))]).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 404 Not Found'])
    }
  })

  it('does not believe X-Forwarded-For of the client behind a header', async () => {
    expect(await ask(headerOf(OTHER), `X-Forwarded-For: ${READER}\r\n`)).toBe('HTTP/1.1 404 Not Found')
  })

  it('still believes X-Forwarded-For of a trusted proxy that sends no header', async () => {
    expect(await ask('', `X-Forwarded-For: ${READER}\r\n`)).toBe('HTTP/1.1 200 OK')
  })

  it('drops the connection of a trusted proxy with a header that is not valid', async () => {
    expect(await ask('PROXY TCP4 nonsense\r\n')).toBe('')
  })

  it('reads no header from a peer that is not a trusted proxy', async () => {
    expect(await ask(headerOf(READER), '', '127.0.0.2')).not.toContain('200')
  })
})
