import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChaosOptions, startChaosProxy } from './chaos-proxy.ts'

/** A client and a server, with the proxy between them. */
async function joined(options: Omit<ChaosOptions, 'target'> = {}) {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const proxy = await startChaosProxy({ target: { host: '127.0.0.1', port }, ...options })
  const accepted = once(server, 'connection')
  const client = connect({ host: proxy.host, port: proxy.port, allowHalfOpen: true })
  const [far] = (await accepted) as [Socket]
  for (const socket of [client, far]) socket.on('error', () => undefined)
  onTestFinished(async () => {
    client.destroy()
    far.destroy()
    await proxy.close()
    server.close()
  })
  return { proxy, client, far }
}

describe('the proxy', () => {
  it.each([
    ['normal', {}],
    ['late and uneven', { delayMs: 5, jitterMs: 20 }],
    ['in tiny segments', { segmentBytes: 7 }],
    ['narrow', { bytesPerSecond: 2_000_000 }],
  ])('passes every byte in order when the network is %s', async (_, conditions) => {
    const { proxy, client, far } = await joined()
    proxy.setConditions(conditions)
    const [up, down] = [randomBytes(50_000), randomBytes(50_000)]
    client.end(up)
    far.end(down)
    expect((await buffer(far)).equals(up)).toBe(true)
    expect((await buffer(client)).equals(down)).toBe(true)
  })

  it('holds bytes sent during silence and delivers them afterwards', async () => {
    const { proxy, client, far } = await joined()
    proxy.setConditions({ silent: true })
    client.write('into the void')
    far.write('and back')
    const heard: string[] = []
    far.on('data', (chunk: Buffer) => heard.push(chunk.toString()))
    const other = connect({ host: proxy.host, port: proxy.port })
    await once(other, 'connect')
    other.destroy()
    expect([heard, client.closed, far.closed]).toEqual([[], false, false])
    proxy.setConditions({})
    await once(client, 'data')
    await expect.poll(() => heard.join('')).toBe('into the void')
  })

  it('resets the connections of both sides', async () => {
    const { proxy, client, far } = await joined()
    const errors = Promise.all([client, far].map((socket) => once(socket, 'error')))
    proxy.reset()
    expect((await errors).map(([error]) => (error as NodeJS.ErrnoException).code)).toEqual(['ECONNRESET', 'ECONNRESET'])
  })

  it('moves to another target, without a word to those who are connected to the one before', async () => {
    const { proxy, client, far } = await joined()
    const heard: string[] = []
    for (const socket of [client, far]) socket.on('data', (chunk: Buffer) => heard.push(chunk.toString()))
    const other = createServer((socket) => void socket.end('from elsewhere')).listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    proxy.moveTo({ host: '127.0.0.1', port: (other.address() as AddressInfo).port }, 'silent')
    client.write('to nobody')
    far.resetAndDestroy()
    await once(far, 'close')
    const newcomer = connect({ host: proxy.host, port: proxy.port })
    expect((await buffer(newcomer)).toString()).toBe('from elsewhere')
    expect([heard, client.closed]).toEqual([[], false])
  })

  it('moves to another target, and cuts what leads to the one before', async () => {
    const { proxy, client } = await joined()
    const cut = once(client, 'error')
    proxy.moveTo({ host: '127.0.0.1', port: 1 }, 'cut')
    const [error] = (await cut) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNRESET')
  })

  it('closes one direction and leaves the other open', async () => {
    const { proxy, client, far } = await joined()
    const ended = once(far.resume(), 'end')
    proxy.halfClose()
    await ended
    far.write('still there')
    const [chunk] = (await once(client, 'data')) as [Buffer]
    expect(chunk.toString()).toBe('still there')
  })

  it('sends a preface, from a configured local address', async () => {
    const { client, far } = await joined({ preface: 'PROXY ', localAddress: '127.0.0.3' })
    client.write('line')
    await expect.poll(() => far.remoteAddress).toBe('127.0.0.3')
    let text = ''
    far.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await expect.poll(() => text).toBe('PROXY line')
  })
})
