import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { readProxyHeader } from './proxy-header.ts'
import { readProxySource } from './proxied-socket.ts'

const SIGNATURE = '0d0a0d0a000d0a515549540a'
const v2 = (hex: string): Buffer => Buffer.from(SIGNATURE + hex, 'hex')
const IPV4 = v2('2111000cc0000207cb007109d4310016')
const header = (bytes: number, address: string, port: number, to = '203.0.113.9') => ({
  kind: 'header',
  bytes,
  source: { address, port, reached: { address: to, port: 22 } },
})
const LOCAL = expect.objectContaining({ kind: 'header', source: undefined })

describe('readProxyHeader', () => {
  it.each([
    ['TCP4', 'PROXY TCP4 192.0.2.7 203.0.113.9 54321 22\r\n', header(43, '192.0.2.7', 54_321)],
    ['TCP6', 'PROXY TCP6 2001:db8::7 2001:db8::1 1 22\r\n', header(41, '2001:db8::7', 1, '2001:db8::1')],
    ['a mapped address', 'PROXY TCP6 ::ffff:192.0.2.7 ::1 1 22\r\n', header(38, '192.0.2.7', 1, '::1')],
    ['health check', 'PROXY UNKNOWN\r\n', LOCAL],
    ['unknown protocol', 'PROXY UNKNOWN ffff:f...f:ffff 65535\r\n', LOCAL],
  ])('parses a version 1 header: %s', (_, text, expected) => {
    expect(readProxyHeader(Buffer.from(`${text}SSH-2.0-x`))).toEqual(expected)
  })

  it.each([
    ['TCP over IPv4', IPV4, header(28, '192.0.2.7', 54_321)],
    [
      'TCP over IPv6',
      v2('2121002420010db800000000000000000000000720010db8000000000000000000000001d4310016'),
      header(52, '2001:db8::7', 54_321, '2001:db8::1'),
    ],
    [
      'a mapped address',
      v2('2121002400000000000000000000ffffc000020700000000000000000000000000000001d4310016'),
      header(52, '192.0.2.7', 54_321, '::1'),
    ],
    ['additional fields', v2('21110011c0000207cb007109d43100160200026162'), header(33, '192.0.2.7', 54_321)],
    ['health check', v2('20000000'), LOCAL],
    ['unix socket', v2('21310000'), LOCAL],
  ])('parses a version 2 header: %s', (_, bytes, expected) => {
    expect(readProxyHeader(Buffer.concat([bytes, Buffer.from('SSH-2.0-x')]))).toEqual(expected)
  })

  it.each([
    'PROXY TCP4 192.0.2.7\r\n',
    'PROXY TCP4 2001:db8::7 2001:db8::1 1 22\r\n',
    'PROXY TCP4 192.0.2.7 203.0.113.9 65536 22\r\n',
    'PROXY TCP4 192.0.2.7 203.0.113.9 01 22\r\n',
    'PROXY TCP4 192.0.2.7 203.0.113.9 1 22 more\r\n',
    'PROXY TCP4 $(id) 203.0.113.9 1 22\r\n',
    'PROXY UDP4 192.0.2.7 203.0.113.9 1 22\r\n',
    `PROXY ${'x'.repeat(101)}`,
  ])('rejects a malformed header: %j', (text) => {
    expect(readProxyHeader(Buffer.from(text))).toEqual({ kind: 'malformed' })
  })

  it.each([
    ['other version', v2('3111000cc0000207cb007109d4310016')],
    ['other command', v2('2211000cc0000207cb007109d4310016')],
    ['shorter than its addresses', v2('21110004c0000207')],
    ['above the length limit', v2('2111ffff')],
  ])('rejects a malformed version 2 header: %s', (_, bytes) => {
    expect(readProxyHeader(bytes)).toEqual({ kind: 'malformed' })
  })

  it('waits for an incomplete header at every byte', () => {
    for (const whole of [Buffer.from('PROXY TCP4 192.0.2.7 203.0.113.9 54321 22\r\n'), IPV4]) {
      for (let length = 0; length < whole.length; length += 1) {
        expect(readProxyHeader(whole.subarray(0, length))).toEqual({ kind: 'incomplete' })
      }
      expect(readProxyHeader(whole)).toMatchObject({ kind: 'header', bytes: whole.length })
    }
  })

  it('finds no header before another protocol', () => {
    for (const text of ['SSH-2.0-OpenSSH\r\n', 'GET / HTTP/1.1', 'PROXX', '\r\n\r\n\0\r\nQUIX']) {
      expect(readProxyHeader(Buffer.from(text))).toEqual({ kind: 'none' })
    }
  })
})

describe('readProxySource', () => {
  async function pair(): Promise<{ near: Socket; far: Socket }> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const accepted = once(server, 'connection')
    const far = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [near] = (await accepted) as [Socket]
    onTestFinished(() => {
      near.destroy()
      far.destroy()
      server.close()
    })
    return { near, far }
  }
  const sourceOf = (socket: Socket) => new Promise((resolve) => readProxySource(socket, systemClock, resolve))

  it.each([
    ['in one piece', ['PROXY TCP4 192.0.2.7 203.0.113.9 5 22\r\nSSH-2.0-x\r\n']],
    ['in pieces', ['PRO', 'XY TCP4 192.0.2.7 203.0.113.9 5 22\r', '\nSSH-2.0', '-x\r\n']],
  ])('reads the source and leaves the following bytes: %s', async (_, pieces) => {
    const { near, far } = await pair()
    far.setNoDelay(true)
    const source = sourceOf(near)
    for (const piece of pieces) {
      far.write(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await source).toMatchObject({ address: '192.0.2.7', port: 5 })
    let rest = ''
    near.on('data', (chunk: Buffer) => (rest += chunk.toString()))
    far.end()
    await once(near, 'end')
    expect(rest).toBe('SSH-2.0-x\r\n')
  })

  it('reports no source without a header', async () => {
    const { near, far } = await pair()
    far.write('SSH-2.0-x\r\n')
    expect(await sourceOf(near)).toBeUndefined()
  })

  it('reports no source for a client that waits for the server', async () => {
    const { near } = await pair()
    expect(await sourceOf(near)).toBeUndefined()
  })

  it('reports an unfinished header as malformed', async () => {
    const { near, far } = await pair()
    far.write('PROXY TCP4 192')
    expect(await sourceOf(near)).toBe('malformed')
  })
})
