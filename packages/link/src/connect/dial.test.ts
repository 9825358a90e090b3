import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { type Server, createServer, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterEach, describe, expect, test } from 'vitest'
import { foregroundClock } from '@bowline/base/clock'
import { acceptLink } from './accept.ts'
import type { LinkCause, LinkHandler } from '../api.ts'
import { type DialTarget, dialLink } from './dial.ts'
import type { LinkOutcome } from './handshake.ts'
import { parsePin, parseServerAddress } from './server-address.ts'
import { RecordedStream } from '../testing/pair.ts'
import { selfSignedCertificate } from '../testing/tls.ts'
import { LINK_PATH, LINK_SUBPROTOCOL, refuseUpgrade } from './upgrade.ts'

const UID = 'd'.repeat(64)
const ed25519 = generateKeyPairSync('ed25519')
const certificate = selfSignedCertificate()
const pinOf = (der: Uint8Array): string => `sha256//${createHash('sha256').update(der).digest('base64')}`

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean()
})

function ownerOf(handler: Partial<LinkHandler> = {}) {
  const refuse: LinkCause = { by: 'agent', reason: 'refused', message: '' }
  return {
    handler: { open: () => refuse, closed: () => undefined, ...handler },
    clock: foregroundClock,
    report(error: unknown) {
      throw error
    },
  }
}

interface ReceivedRequest {
  url: string | undefined
  authorization: string | undefined
  protocol: string | undefined
}

/** A server that accepts links of `publicKeyPem`'s device, or does what `instead` says. */
async function serve(options: {
  tls?: boolean
  publicKeyPem?: string
  accept?: RecordedStream[]
  instead?: (socket: Duplex) => void
  closed?: (cause: LinkCause) => void
}) {
  const server: Server = options.tls
    ? createTlsServer({ key: certificate.key, cert: certificate.cert })
    : createServer((_request, response) => response.writeHead(418, { 'Retry-After': '7' }).end())
  const sockets = new Set<Duplex>()
  const outcomes: Promise<LinkOutcome>[] = []
  const asked: ReceivedRequest[] = []
  server.on('connection', (socket) => sockets.add(socket))
  server.on('upgrade', (request, socket, head) => {
    asked.push({
      url: request.url,
      authorization: request.headers.authorization,
      protocol: request.headers['sec-websocket-protocol'],
    })
    socket.on('error', () => undefined)
    if (options.instead) return options.instead(socket)
    const publicKeyPem = options.publicKeyPem ?? ed25519.publicKey.export({ type: 'spki', format: 'pem' })
    const open = RecordedStream.accept(options.accept ?? [])
    const closed = options.closed ?? (() => undefined)
    outcomes.push(acceptLink(request, socket, head, { uid: UID, publicKeyPem }, ownerOf({ open, closed })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const address = `${options.tls ? 'https' : 'http'}://localhost:${port}`
  const outcome = (): Promise<LinkOutcome> => outcomes[0] ?? Promise.reject(new Error('no client has dialled'))
  return { address, outcome, asked }
}

function targetOf(address: string, more: Partial<DialTarget> = {}): DialTarget {
  const parsed = parseServerAddress(address)
  if ('fault' in parsed) throw new Error(parsed.fault)
  return { address: parsed.value, token: 'device-token', device: { uid: UID, privateKey: ed25519.privateKey }, ...more }
}

function pins(text: string): readonly Uint8Array[] {
  const parsed = parsePin(text)
  if ('fault' in parsed) throw new Error(parsed.fault)
  return parsed.value
}

async function causeOf(outcome: Promise<{ link: unknown } | { cause: LinkCause }>): Promise<LinkCause> {
  const settled = await outcome
  if ('cause' in settled) return settled.cause
  throw new Error('the link was established')
}

describe('dialling', () => {
  test.each([
    { over: 'http to loopback', tls: false, more: {} },
    { over: 'https with a pinned key', tls: true, more: { pins: pins(pinOf(certificate.publicKeyDer)) } },
  ])('makes a link over $over that carries bytes both ways', async ({ tls, more }) => {
    const accepted: RecordedStream[] = []
    const server = await serve({ tls, accept: accepted })
    const dialled = await dialLink(targetOf(`${server.address}/prefix/`, more), ownerOf())
    if (!('link' in dialled)) throw new Error(dialled.cause.message)
    const own = RecordedStream.open(dialled.link, 'dial', { some: 'header' })
    const bytes = Buffer.alloc(3_000_000, 'the quick brown fox ')
    own.stream.write(Buffer.from(bytes))
    own.stream.close()
    await own.whenClosed()
    const peer = accepted[0]
    await peer?.whenClosed()
    expect(peer?.bytes().equals(bytes)).toBe(true)
    const accepting = await server.outcome()
    if (!('link' in accepting)) throw new Error(accepting.cause.message)
    expect(server.asked).toEqual([
      { url: `/prefix${LINK_PATH}`, authorization: 'Bearer device-token', protocol: LINK_SUBPROTOCOL },
    ])
    accepting.link.close({ by: 'gateway', reason: 'displaced', message: 'another agent came' })
  })

  test('notifies both owners when the server closes the link', async () => {
    const server = await serve({})
    const ended = Promise.withResolvers<LinkCause>()
    const dialled = await dialLink(targetOf(server.address), ownerOf({ closed: ended.resolve }))
    expect(dialled).toHaveProperty('link')
    const accepting = await server.outcome()
    if (!('link' in accepting)) throw new Error(accepting.cause.message)
    const cause: LinkCause = { by: 'gateway', reason: 'displaced', message: 'another agent came' }
    accepting.link.close(cause)
    expect(await ended.promise).toMatchObject(cause)
  })

  test('notifies the other side when the connection is lost', async () => {
    const ended = Promise.withResolvers<LinkCause>()
    const server = await serve({ closed: ended.resolve })
    await dialLink(targetOf(server.address), ownerOf())
    for (const clean of cleanups.splice(0)) clean()
    expect((await ended.promise).by).toBe('network')
  })

  test.each([
    { kind: 'rsa' as const, modulusLength: 2_048 },
    { kind: 'rsa' as const, modulusLength: 3_072 },
  ])('accepts a proof by an old agent’s RSA key of $modulusLength bits', async ({ modulusLength }) => {
    const rsa = generateKeyPairSync('rsa', { modulusLength })
    const publicKeyPem = rsa.publicKey.export({ type: 'pkcs1', format: 'pem' })
    const server = await serve({ publicKeyPem })
    const target = targetOf(server.address, { device: { uid: UID, privateKey: rsa.privateKey } })
    expect(await dialLink(target, ownerOf())).toHaveProperty('link')
  })

  test('refuses a proof signed by another key', async () => {
    const server = await serve({})
    const other = generateKeyPairSync('ed25519').privateKey
    const target = targetOf(server.address, { device: { uid: UID, privateKey: other } })
    expect((await causeOf(dialLink(target, ownerOf()))).reason).toBe('wrong-proof')
    expect((await causeOf(server.outcome())).reason).toBe('wrong-proof')
  })

  test('refuses a proof for another device', async () => {
    const server = await serve({})
    const target = targetOf(server.address, { device: { uid: 'e'.repeat(64), privateKey: ed25519.privateKey } })
    expect((await causeOf(dialLink(target, ownerOf()))).reason).toBe('wrong-proof')
  })

  test('refuses a proof when the registered key is weak or malformed', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024 })
    const weak = await serve({ publicKeyPem: rsa.publicKey.export({ type: 'spki', format: 'pem' }) })
    const broken = await serve({ publicKeyPem: 'not a key' })
    expect((await causeOf(dialLink(targetOf(weak.address), ownerOf()))).reason).toBe('wrong-proof')
    expect((await causeOf(dialLink(targetOf(broken.address), ownerOf()))).reason).toBe('wrong-proof')
  })

  test.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'not-found'],
    [503, 'unavailable'],
    [500, 'http-500'],
  ])('maps the status %i to the reason %s', async (status, reason) => {
    const server = await serve({ instead: (socket) => refuseUpgrade(socket, status, { 'Retry-After': '12' }) })
    const outcome = await dialLink(targetOf(server.address), ownerOf())
    expect(outcome).toMatchObject({ cause: { by: 'gateway', reason }, retryAfterSeconds: 12 })
  })

  test.each([
    ['sends no headers', ''],
    [
      'proves that it has not read the key',
      'Sec-WebSocket-Accept: AAAA\r\nSec-WebSocket-Protocol: bowline.link.v1\r\n',
    ],
  ])('fails when the server grants another protocol: it %s', async (_what, headers) => {
    const server = await serve({
      instead: (socket) =>
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${headers}\r\n`),
    })
    expect((await causeOf(dialLink(targetOf(server.address), ownerOf()))).reason).toBe('upgrade-failed')
  })

  test('fails when nothing listens on the port', async () => {
    const server = await serve({})
    for (const clean of cleanups.splice(0)) clean()
    expect((await causeOf(dialLink(targetOf(server.address), ownerOf()))).reason).toBe('connect-failed')
  })

  test('can be aborted while the server is silent', async () => {
    const giveUp = new AbortController()
    const server = await serve({ instead: () => giveUp.abort() })
    expect((await causeOf(dialLink(targetOf(server.address), ownerOf(), giveUp.signal))).reason).toBe('stopped')
  })

  test.each([
    ['connects', (socket: Duplex) => void socket],
    ['upgrades', (socket: Duplex) => void socket.write('HTTP/1.1 101 Switching Protocols\r\n')],
  ])('times out after 20 seconds when the server %s and then stays silent', async (_what, act) => {
    const clock = new ManualClock()
    const reached = Promise.withResolvers<void>()
    const server = await serve({
      instead(socket) {
        act(socket)
        reached.resolve()
      },
    })
    const outcome = causeOf(dialLink(targetOf(server.address), { ...ownerOf(), clock }))
    await reached.promise
    await clock.advanceAsync(20_000)
    expect((await outcome).reason).toBe('connect-timeout')
    expect(clock.pending).toBe(0)
  })
})

test.each([
  ['older', 0, 'server'],
  ['newer', 2, 'agent'],
])('reports which end to update when the server speaks an %s version of the link', async (_what, theirs, older) => {
  const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': `bowline.link.v${theirs}` }
  const server = await serve({ instead: (socket) => refuseUpgrade(socket, 426, headers) })
  expect(await causeOf(dialLink(targetOf(server.address), ownerOf()))).toEqual({
    by: 'gateway',
    reason: 'version',
    message: `the server speaks version ${theirs} of the link, this agent version 1: update the ${older}`,
  })
})

describe('accepting', () => {
  const link = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Protocol': LINK_SUBPROTOCOL,
  }

  test.each<[string, string, Record<string, string>, number]>([
    ['a foreign subprotocol', 'GET', { 'Sec-WebSocket-Protocol': 'chat' }, 426],
    ['another upgrade', 'GET', { Upgrade: 'h2c' }, 400],
    ['another method', 'POST', {}, 400],
    ['a short key', 'GET', { 'Sec-WebSocket-Key': 'AAAA' }, 400],
    ['another version', 'GET', { 'Sec-WebSocket-Version': '8' }, 426],
  ])('answers a request with %s with its status and closes the connection', async (_what, method, more, status) => {
    const server = await serve({})
    const asked = request(`${server.address}${LINK_PATH}`, { method, headers: { ...link, ...more } }).end()
    const [response] = await once(asked, 'response')
    await once(response.resume(), 'end')
    expect([response.statusCode, response.headers.connection]).toEqual([status, expect.stringMatching(/^close\b/)])
    expect((await causeOf(server.outcome())).reason).toBe('bad-request')
  })

  test.each([
    ['an older', 'bowline.link.v0, chat', 0, 'agent'],
    ['a newer', 'bowline.link.v3, bowline.link.v2', 3, 'server'],
  ])('answers %s agent with the version this server speaks', async (_what, offered, theirs, older) => {
    const server = await serve({})
    const headers = { ...link, 'Sec-WebSocket-Protocol': offered }
    const [response] = await once(request(`${server.address}${LINK_PATH}`, { headers }).end(), 'response')
    await once(response.resume(), 'end')
    expect([response.statusCode, response.headers]).toEqual([
      426,
      expect.objectContaining({ upgrade: 'websocket', 'sec-websocket-protocol': LINK_SUBPROTOCOL }),
    ])
    expect(await causeOf(server.outcome())).toEqual({
      by: 'agent',
      reason: 'version',
      message: `the agent speaks version ${theirs} of the link, this server version 1: update the ${older}`,
    })
  })

  test('accepts the subprotocol in a list of several', async () => {
    const server = await serve({})
    const headers = { ...link, 'Sec-WebSocket-Protocol': `bowline.link.v2, ${LINK_SUBPROTOCOL}` }
    const [response] = await once(request(`${server.address}${LINK_PATH}`, { headers }).end(), 'upgrade')
    expect(response.headers['sec-websocket-protocol']).toBe(LINK_SUBPROTOCOL)
  })
})

describe('trust', () => {
  test('rejects a certificate from an unknown authority before the token is sent', async () => {
    const server = await serve({ tls: true })
    expect((await causeOf(dialLink(targetOf(server.address), ownerOf()))).reason).toBe('certificate')
    expect(server.asked).toEqual([])
  })

  test('rejects a key other than the pinned one before the token is sent', async () => {
    const server = await serve({ tls: true })
    const other = pins(pinOf(selfSignedCertificate().publicKeyDer))
    expect((await causeOf(dialLink(targetOf(server.address, { pins: other }), ownerOf()))).reason).toBe('pin-mismatch')
    expect(server.asked).toEqual([])
  })

  test('accepts a server that matches one of several pins', async () => {
    const server = await serve({ tls: true })
    const both = pins(`${pinOf(selfSignedCertificate().publicKeyDer)};${pinOf(certificate.publicKeyDer)}`)
    expect(await dialLink(targetOf(server.address, { pins: both }), ownerOf())).toHaveProperty('link')
  })

  test.each([
    ['https://bowline.example.com', { host: 'bowline.example.com', port: 443, prefix: '', secure: true }],
    ['https://[2001:db8::1]:8443/base/', { host: '2001:db8::1', port: 8443, prefix: '/base' }],
    ['http://localhost:8080', { host: 'localhost', port: 8080, secure: false }],
    ['http://127.0.0.53', { port: 80 }],
    ['http://[::1]:8080', { host: '::1', authority: '[::1]:8080' }],
  ])('accepts the address %s', (text, value) => {
    expect(parseServerAddress(text)).toMatchObject({ value })
  })

  test.each([
    ['http://bowline.example.com', 'must be https://'],
    ['http://127.0.0.1.example.com', 'must be https://'],
    ['http://localhost.example.com', 'must be https://'],
    ['ws://localhost', 'must be an http'],
    ['localhost:8080', 'must be an http'],
    ['', 'must be an http'],
    ['https://user:secret@host', 'user name or password'],
    ['https://host/?q=1', 'query or fragment'],
  ])('refuses the address %s', (text, fault) => {
    const parsed = parseServerAddress(text)
    expect('fault' in parsed && parsed.fault).toContain(fault)
    expect(JSON.stringify(parsed)).not.toContain('secret')
  })

  test.each(['', 'sha256//', 'sha1//AAAA', `sha256//${'A'.repeat(42)}=`, `${pinOf(Buffer.of(1))};`])(
    'refuses the pin "%s"',
    (text) => {
      expect(parsePin(text)).toHaveProperty('fault')
    },
  )
})
