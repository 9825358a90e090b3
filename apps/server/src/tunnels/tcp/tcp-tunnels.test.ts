// TCP tunnels with real TLS on both ends, through a whole server.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { type TLSSocket, connect as connectTls } from 'node:tls'
import { operations } from '@bowline/contract/operations'
import type { Tunnel, TunnelRequest } from '@bowline/contract/schemas/tunnel'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'
import type { FakeDevice } from '../../testing/gateway.ts'
import { ask, httpService, openTunnel, tcpService, tunnelDevice } from '../testing/device.ts'
import { TLS_SETTINGS, dialTls, endOf, portOf, tlsService } from '../testing/tls.ts'

let clock: ManualClock
let server: BootedServer
let person: Person
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({ settings: TLS_SETTINGS, clock })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

/** The API has a limit of calls per second. */
const POLL = { interval: 50 }

const echo = (socket: TLSSocket): void => void socket.pipe(socket)

async function tunnelTo(port: number, options = {}): Promise<{ tunnel: Tunnel; device: FakeDevice }> {
  const device = await tunnelDevice(server, person)
  return { device, tunnel: await openTunnel(person, device, port, { protocol: 'tcp', ...options }) }
}

async function logOf({ device: uid, address }: Tunnel): Promise<TunnelRequest[]> {
  return (await person.client.call(operations.tunnels.requests, { params: { uid, address } })).body
}

/** Sends bytes to the port of TCP tunnels. @returns `end` resolves to what ended the connection */
function dialRaw(tunnel: Tunnel, bytes: string | Buffer): { readonly socket: Socket; readonly end: Promise<string> } {
  const socket = connect(portOf(tunnel), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const end = endOf(socket)
  socket.write(bytes)
  return { socket, end }
}

/** First message of a client that asks for a name. */
async function firstMessage(servername: string): Promise<Buffer> {
  const first = Promise.withResolvers<Buffer>()
  const port = await tcpService((socket) => void socket.on('error', () => undefined).once('data', first.resolve))
  const client = connectTls({ port, host: '127.0.0.1', servername }).on('error', () => undefined)
  onTestFinished(() => void client.destroy())
  return first.promise
}

async function answerTo(socket: TLSSocket, text: string): Promise<string> {
  const answer = once(socket, 'data')
  socket.write(text)
  const [data] = (await answer) as [Buffer]
  return String(data)
}

describe('bytes', () => {
  it('reach the service that the name has, with its own certificate and protocol', async () => {
    const { tunnel } = await tunnelTo(await tlsService(echo))
    expect(tunnel).toMatchObject({ protocol: 'tcp', door: 'none' })
    expect(tunnel.url).toBe(`tls://${tunnel.full_address}:${portOf(tunnel)}`)
    const socket = await dialTls(tunnel, { ALPNProtocols: ['echo'] })
    expect([socket.authorized, socket.alpnProtocol, socket.getProtocol()]).toEqual([true, 'echo', 'TLSv1.3'])
    expect(await answerTo(socket, 'hello')).toBe('hello')
    const old = await dialTls(tunnel, { maxVersion: 'TLSv1.2', servername: tunnel.full_address.toUpperCase() })
    expect(await answerTo(old, 'hello')).toBe('hello')
  })

  it('arrive unchanged, a hundred megabytes each way at once', async () => {
    const size = 100 * 1024 * 1024
    const block = randomBytes(1024 * 1024)
    const expected = createHash('sha256')
    for (let at = 0; at < size; at += block.length) expected.update(block)
    const digest = expected.digest('hex')
    const send = async (socket: TLSSocket): Promise<void> => {
      for (let at = 0; at < size; at += block.length) if (!socket.write(block)) await once(socket, 'drain')
      socket.end()
    }
    const receive = (socket: TLSSocket): Promise<string> =>
      new Promise((resolve, reject) => {
        const hash = createHash('sha256')
        socket.on('data', (chunk: Buffer) => hash.update(chunk))
        socket.on('error', reject).on('end', () => resolve(hash.digest('hex')))
      })
    const atService = Promise.withResolvers<string>()
    const port = await tlsService((socket) => {
      Promise.all([receive(socket), send(socket)]).then(([hash]) => atService.resolve(hash), atService.reject)
    })
    const { tunnel } = await tunnelTo(port)
    const socket = await dialTls(tunnel)
    const [atClient, received] = await Promise.all([receive(socket), atService.promise, send(socket)])
    expect([atClient, received]).toEqual([digest, digest])
    await until(async () => (await logOf(tunnel)).length === 1, POLL)
    const [logged] = await logOf(tunnel)
    expect(logged).toMatchObject({ method: 'TCP', path: '', status: 200, source: '127.0.0.1' })
    expect(Math.min(logged?.bytes_in ?? 0, logged?.bytes_out ?? 0)).toBeGreaterThan(size)
  }, 120_000)

  it('still come after the client has ended its half, and the other way round', async () => {
    const port = await tlsService((socket) => {
      let text = ''
      socket.on('data', (chunk: Buffer) => (text += chunk))
      socket.on('end', () => socket.end(`heard ${text}`))
    })
    const { tunnel } = await tunnelTo(port)
    const socket = await dialTls(tunnel)
    socket.end('all')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect([String(answer), await endOf(socket)]).toEqual(['heard all', 'end'])

    let heard = ''
    const first = await tlsService((socket) => {
      socket.end('bye')
      socket.on('data', (chunk: Buffer) => (heard += chunk))
    })
    const other = await dialTls((await tunnelTo(first)).tunnel)
    const ended = endOf(other)
    expect(await ended).toBe('end')
    other.end('still here')
    await until(() => heard === 'still here')
  })

  it('stop at the service while the client does not read', async () => {
    let sent = 0
    const port = await tlsService((socket) => {
      const chunk = Buffer.alloc(65_536)
      const fill = (): void => {
        while (sent < 256 * 1024 * 1024) {
          sent += chunk.length
          if (!socket.write(chunk)) return void socket.once('drain', fill)
        }
      }
      fill()
    })
    const { tunnel } = await tunnelTo(port)
    const socket = await dialTls(tunnel)
    socket.pause()
    const busy = await dialTls((await tunnelTo(await tlsService(echo))).tunnel)
    let before = -1
    // Settled: a round of other traffic without another byte of this one.
    await until(async () => {
      const settled = sent === before && sent > 0
      before = sent
      for (let i = 0; i < 50; i += 1) await answerTo(busy, 'x')
      return settled
    })
    expect(sent).toBeLessThan(48 * 1024 * 1024)
  })
})

describe('ends', () => {
  it('come with the tunnel, at its expiry, with the device and with its change to HTTP', async () => {
    const port = await tlsService(echo)
    const { tunnel, device } = await tunnelTo(port)
    const { uid } = device.device
    const removed = await dialTls(tunnel)
    await person.client.call(operations.tunnels.remove, { params: { uid, address: tunnel.address } })
    expect(await endOf(removed)).toBe('ECONNRESET')
    await expect(dialTls(tunnel)).rejects.toThrow(/unrecognized name/)

    const expiring = await openTunnel(person, device, port, { protocol: 'tcp', ttl: 60 })
    const old = await dialTls(expiring)
    clock.advance(59_000)
    const young = await dialTls(expiring)
    clock.advance(2_000)
    expect(await answerTo(old, 'still there')).toBe('still there')
    clock.advance(59_000)
    expect(await Promise.all([endOf(old), endOf(young)])).toEqual(['ECONNRESET', 'ECONNRESET'])

    const changing = await openTunnel(person, device, port, { protocol: 'tcp' })
    const changed = await dialTls(changing)
    const params = { uid, address: changing.address }
    await person.client.call(operations.tunnels.update, { params, body: { protocol: 'http' } })
    expect(await endOf(changed)).toBe('ECONNRESET')

    const last = await dialTls(await openTunnel(person, device, port, { protocol: 'tcp' }))
    await person.client.call(operations.devices.remove, { params: { uid } })
    expect(await endOf(last)).toBe('ECONNRESET')
  })

  it('come with the namespace', async () => {
    const founder = await server.addPerson('founder')
    const device = await tunnelDevice(server, founder)
    const tunnel = await openTunnel(founder, device, await tlsService(echo), { protocol: 'tcp' })
    const socket = await dialTls(tunnel)
    const ended = endOf(socket)
    await founder.client.call(operations.namespaces.remove, { params: { tenant: founder.tenant } })
    clock.advance(5_000)
    expect(await ended).toBe('ECONNRESET')
  })

  it('come after an hour without a byte', async () => {
    const device = await tunnelDevice(server, person)
    const busy = await dialTls(await openTunnel(person, device, await tlsService(echo), { protocol: 'tcp' }))
    const idle = await dialTls(await openTunnel(person, device, await tlsService(echo), { protocol: 'tcp' }))
    const ended = endOf(idle)
    // In steps, between which the link shows that it lives.
    const pass = async (seconds: number): Promise<void> => {
      for (let step = 0; step < seconds; step += 40) {
        clock.advance(40_000)
        await answerTo(busy, 'x')
      }
    }
    await pass(3_560)
    idle.write('x')
    await pass(3_560)
    expect(idle.destroyed).toBe(false)
    await pass(200)
    expect(await ended).toBe('ECONNRESET')
    expect(await answerTo(busy, 'x')).toBe('x')
  })

  it('reach both sides when the service or the client breaks off', async () => {
    const services: Socket[] = []
    const { tunnel } = await tunnelTo(
      await tcpService((socket) => {
        services.push(socket.on('error', () => undefined).on('end', () => socket.end()))
        socket.resume()
      }),
    )
    const hello = await firstMessage(tunnel.full_address)
    const first = dialRaw(tunnel, hello)
    await until(() => services.length === 1)
    services[0]?.resetAndDestroy()
    expect(await first.end).toBe('ECONNRESET')
    const second = dialRaw(tunnel, hello)
    await until(() => services.length === 2)
    const gone = once(services[1] as Socket, 'close')
    second.socket.resetAndDestroy()
    await gone
    await until(async () => (await logOf(tunnel)).length === 2, POLL)
  })
})

describe('what reaches no tunnel', () => {
  it('gets an alert: other names, addresses as names, no name, certificate authorities', async () => {
    const { tunnel } = await tunnelTo(await tlsService(echo))
    const refused = (servername: string, ALPNProtocols?: string[]) =>
      dialTls(tunnel, { servername, ...(ALPNProtocols ? { ALPNProtocols } : {}) }).then(
        () => 'connected',
        (error: Error) => /unrecognized name|no application protocol/.exec(error.message)?.[0] ?? error.message,
      )
    const names = [
      '',
      'console.example',
      'tunnels.example',
      `a.${tunnel.full_address}`,
      `${'0'.repeat(32)}.tunnels.example`,
      `${tunnel.address}.elsewhere.example`,
    ]
    expect(await Promise.all(names.map((name) => refused(name)))).toEqual(names.map(() => 'unrecognized name'))
    expect(await refused(tunnel.full_address, ['acme-tls/1', 'echo'])).toBe('no application protocol')
    expect(await refused(tunnel.full_address)).toBe('connected')
  })

  it('includes HTTP tunnels, as TCP tunnels are none for browsers', async () => {
    const { tunnel, device } = await tunnelTo(await tlsService(echo))
    const web = await openTunnel(person, device, await httpService((_, answer) => answer.end('page')))
    await expect(dialTls({ ...tunnel, full_address: web.full_address })).rejects.toThrow(/unrecognized name/)
    expect((await ask(server, web.full_address)).text).toBe('page')
    expect((await ask(server, tunnel.full_address)).status).toBe(404)
  })

  it('is dropped when it is no TLS, too long or too slow', async () => {
    const { tunnel } = await tunnelTo(await tlsService(echo))
    expect(await dialRaw(tunnel, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n').end).toMatch(/^(?:end|ECONNRESET)$/)
    const long = Buffer.concat([Buffer.from([22, 3, 1, 64, 0, 1, 0, 64, 0]), Buffer.alloc(20_000)])
    expect(await dialRaw(tunnel, long).end).toMatch(/^(?:end|ECONNRESET)$/)
    // A byte every second does not buy more time.
    const { socket, end } = dialRaw(tunnel, Buffer.from([22]))
    await until(() => clock.pending > 0)
    for (let second = 0; second < 6; second += 1) {
      socket.write(Buffer.from([3]))
      await clock.advanceAsync(1_000)
    }
    expect(await end).toMatch(/^(?:end|ECONNRESET)$/)
  })

  it('is told at once when the device or its service is away, and the log has it', async () => {
    const { tunnel, device } = await tunnelTo(1)
    await expect(dialTls(tunnel)).rejects.toThrow(/internal error/)
    device.link.close({ by: 'agent', reason: 'done', message: '' })
    await device.ended
    await expect(dialTls(tunnel)).rejects.toThrow(/internal error/)
    await until(async () => (await logOf(tunnel)).length === 2, POLL)
    expect((await logOf(tunnel)).map(({ status }) => status)).toEqual([503, 502])
  })
})

describe('limits', () => {
  it('hold for idle connections of one source, which time out together', async () => {
    const { tunnel } = await tunnelTo(await tlsService(echo))
    let closed = 0
    const idle = Array.from({ length: 2_000 }, () => {
      const socket = connect(portOf(tunnel), '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => undefined).on('close', () => (closed += 1))
      return socket.resume()
    })
    await until(() => closed === idle.length - 32)
    await expect(dialTls(tunnel)).rejects.toThrow(/disconnected|ECONNRESET/)
    await clock.advanceAsync(5_100)
    await until(() => closed === idle.length)
    clock.advance(60_000)
    expect(await answerTo(await dialTls(tunnel), 'x')).toBe('x')
  })

  it('hold for connections under way of one source, and count those that end', async () => {
    let accepted = 0
    const port = await tcpService((socket) => {
      accepted += 1
      socket.on('error', () => undefined).on('end', () => socket.end())
      socket.resume()
    })
    const { tunnel } = await tunnelTo(port)
    // Valid first messages; the service never answers them.
    const hello = await firstMessage(tunnel.full_address)
    const dial = () => dialRaw(tunnel, hello)
    const held = []
    for (let count = 0; count < 256; count += 16) {
      held.push(...Array.from({ length: 16 }, dial))
      await until(() => accepted === count + 16)
    }
    const refused = dial()
    expect(await refused.end).toBe('end')
    held[0]?.socket.destroy()
    await until(async () => (await logOf(tunnel)).length === 1, POLL)
  }, 60_000)
})

it('takes the source from the PROXY header of a trusted proxy, and drops headers that are not valid', async () => {
  const behind = await bootServer({ settings: { ...TLS_SETTINGS, BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
  onTestFinished(() => behind.close())
  const owner = await behind.setUpAccount()
  const device = await tunnelDevice(behind, owner)
  const port = await tcpService((socket) => void socket.on('error', () => undefined).once('data', () => socket.end()))
  const tunnel = await openTunnel(owner, device, port, { protocol: 'tcp' })
  const hello = await firstMessage(tunnel.full_address)
  const header = 'PROXY TCP4 203.0.113.7 192.0.2.1 50000 443\r\n'
  expect(await dialRaw(tunnel, Buffer.concat([Buffer.from(header), hello])).end).toBe('end')
  expect(await dialRaw(tunnel, Buffer.concat([Buffer.from('PROXY TCP4 nonsense\r\n'), hello])).end).not.toBe('')
  const params = { uid: device.device.uid, address: tunnel.address }
  const sources = async () =>
    (await owner.client.call(operations.tunnels.requests, { params })).body.map(({ source }) => source)
  // The service has ended its half only: the connection is over when the client ends its own.
  await until(async () => (await sources()).length === 1, POLL)
  expect(await sources()).toEqual(['203.0.113.7'])
})

it('refuses doors and other options that need requests, and names the field', async () => {
  const device = await tunnelDevice(server, person)
  const create = (options: object) => outcome(openTunnel(person, device, 5432, { protocol: 'tcp', ...options }))
  const refusals = await Promise.all([
    create({ door: 'namespace' }),
    create({ door: 'password', password: 'open sesame' }),
    create({ host_header: 'x' }),
    create({ tls: 'verify' }),
    create({ http2: true }),
  ])
  const fields = ['door', 'door', 'host_header', 'tls', 'http2']
  expect(refusals).toEqual(fields.map((field) => `400 INVALID_INPUT ${field}`))
  const web = await openTunnel(person, device, 5432, { door: 'namespace' })
  const params = { uid: device.device.uid, address: web.address }
  const change = (body: object) => person.client.call(operations.tunnels.update, { params, body })
  await expect(change({ protocol: 'tcp' })).rejects.toMatchObject({ fields: ['door'] })
  expect((await change({ protocol: 'tcp', door: 'none' })).body).toMatchObject({ protocol: 'tcp', door: 'none' })
  await expect(change({ door: 'namespace' })).rejects.toMatchObject({ fields: ['door'] })
})
