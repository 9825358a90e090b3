import { generateKeyPairSync } from 'node:crypto'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { array, assert, asyncProperty, constantFrom, oneof, record, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LinkCause, LinkHandler } from '../api.ts'
import { signProof, verifyProof } from './device-proof.ts'
import { FRAME, FrameBatch, FrameDecoder, type FrameType } from '../wire/frame.ts'
import { type LinkOutcome, type LinkOwner, serverHandshake, clientHandshake } from './handshake.ts'
import { MemoryTransport, RecordedStream, settle } from '../testing/pair.ts'

const UID = 'a'.repeat(64)
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' })

function ownerOf(
  clock: ManualClock,
  handler: Partial<LinkHandler> = {},
  options: LinkOwner['options'] = {},
): LinkOwner {
  return {
    clock,
    options,
    handler: { open: () => ({ by: 'agent', reason: 'refused', message: '' }), closed: () => undefined, ...handler },
    report(error) {
      throw error
    },
  }
}

function causeOf(outcome: LinkOutcome): LinkCause {
  if ('cause' in outcome) return outcome.cause
  throw new Error('the link was established')
}

/** One real side, and a raw one that the test drives. */
function against(side: 'gateway' | 'agent', clock: ManualClock, turn?: LinkOwner['turn']) {
  const [transport, raw] = MemoryTransport.pair(256 * 1024)
  const hellos: string[] = []
  const decoder = new FrameDecoder({
    data: () => undefined,
    frame: (type, stream, payload) => hellos.push(`${type}/${stream} ${Buffer.from(payload).toString('utf8')}`),
  })
  raw.listen({ bytes: (chunk) => void decoder.push(chunk), drain: () => undefined, closed: () => undefined })
  const outcome =
    side === 'gateway'
      ? serverHandshake(transport, { uid: UID, publicKeyPem }, { ...ownerOf(clock), ...(turn ? { turn } : {}) })
      : clientHandshake(transport, { uid: UID, privateKey }, ownerOf(clock))
  const send = async (type: FrameType, payload: unknown, stream = 0): Promise<void> => {
    const batch = new FrameBatch()
    batch.add(type, stream, Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)))
    raw.send(batch.take())
    await settle()
  }
  const sendRaw = async (bytes: Uint8Array): Promise<void> => {
    raw.send([bytes])
    await settle()
  }
  return { outcome, send, sendRaw, hellos, transport }
}

/** A gateway whose owner hands out turns, and a right proof for its challenge. */
async function waitingForProof() {
  const turns: (() => void)[] = []
  const side = against('gateway', new ManualClock(), () => new Promise((resolve) => void turns.push(resolve)))
  await settle()
  const nonce = /"nonce":"([^"]+)"/.exec(side.hellos[0] ?? '')?.[1] ?? ''
  return { ...side, turns, proof: { type: 'proof', signature: signProof(privateKey, UID, nonce), windowBytes: 1_000 } }
}

describe('the handshake', () => {
  test('establishes a link on both sides with the window each side grants', async () => {
    const clock = new ManualClock()
    const accepted: RecordedStream[] = []
    const [server, device] = MemoryTransport.pair(256 * 1024)
    const [gateway, agent] = await Promise.all([
      serverHandshake(
        server,
        { uid: UID, publicKeyPem },
        ownerOf(clock, {}, { windowBytes: 700, windowMaxBytes: 700 }),
      ),
      clientHandshake(
        device,
        { uid: UID, privateKey },
        ownerOf(
          clock,
          { open: RecordedStream.accept(accepted, { consume: false }) },
          { windowBytes: 300, windowMaxBytes: 300 },
        ),
      ),
    ])
    if (!('link' in gateway) || !('link' in agent)) throw new Error('there is no link')
    const own = RecordedStream.open(gateway.link, 'session', {}, { consume: false })
    own.stream.write(new Uint8Array(5_000))
    await settle()
    accepted[0]?.stream?.write(new Uint8Array(5_000))
    await settle()
    expect(accepted[0]?.bytes().length).toBe(300)
    expect(own.bytes().length).toBe(700)
    gateway.link.close({ by: 'gateway', reason: 'over', message: '' })
    await settle()
    expect(clock.pending).toBe(0)
  })

  test('verifies a proof in its turn', async () => {
    const { turns, outcome, send, hellos, proof } = await waitingForProof()
    await send(FRAME.hello, proof)
    expect(hellos).toHaveLength(1)
    turns.pop()?.()
    expect(await outcome).toHaveProperty('link')
    await settle()
    expect(hellos.some((hello) => hello.includes('welcome'))).toBe(true)
  })

  test('takes no second hello before the turn of the first', async () => {
    const { turns, outcome, send, hellos, proof } = await waitingForProof()
    await send(FRAME.hello, proof)
    await send(FRAME.hello, proof)
    expect(causeOf(await outcome)).toMatchObject({ by: 'agent', reason: 'protocol' })
    turns.pop()?.()
    await settle()
    expect(hellos.some((hello) => hello.includes('welcome'))).toBe(false)
  })

  test('keeps a stream that is opened in the same chunk as the welcome', async () => {
    const clock = new ManualClock()
    const accepted: RecordedStream[] = []
    const [server, device] = MemoryTransport.pair(256 * 1024)
    const agent = clientHandshake(
      device,
      { uid: UID, privateKey },
      ownerOf(clock, { open: RecordedStream.accept(accepted) }),
    )
    const batch = new FrameBatch()
    const hello = (value: unknown): void => batch.add(FRAME.hello, 0, Buffer.from(JSON.stringify(value)))
    hello({ type: 'challenge', version: 1, nonce: 'n'.repeat(43), windowBytes: 1_000 })
    hello({ type: 'welcome' })
    batch.add(FRAME.open, 2, Buffer.from('{"kind":"session","header":{}}'))
    batch.add(FRAME.data, 2, Buffer.from('hello'))
    server.send([Buffer.concat(batch.take())])
    expect(await agent).toHaveProperty('link')
    expect(accepted[0]?.text()).toBe('hello')
  })

  test.each<[string, FrameType, unknown, string]>([
    ['a wrong signature', FRAME.hello, { type: 'proof', signature: 'AAAA', windowBytes: 1_000 }, 'wrong-proof'],
    ['a window of zero', FRAME.hello, { type: 'proof', signature: 'AAAA', windowBytes: 0 }, 'protocol'],
    ['an oversized window', FRAME.hello, { type: 'proof', signature: 'AAAA', windowBytes: 1e9 }, 'protocol'],
    ['no JSON', FRAME.hello, 'hello!', 'protocol'],
    ['a ping', FRAME.ping, 'ping', 'protocol'],
    ['a goaway', FRAME.goaway, '{}', 'protocol'],
  ])('the gateway refuses %s', async (_what, type, payload, reason) => {
    const { outcome, send, hellos, transport } = against('gateway', new ManualClock())
    await send(type, payload)
    expect(causeOf(await outcome).reason).toBe(reason)
    expect(hellos.at(-1)).toContain(`"reason":"${reason}"`)
    expect(transport.closeCause?.reason).toBe(reason)
  })

  test.each<[string, FrameType, number]>([
    ['an open of 256 KiB', FRAME.open, 1],
    ['a control message of 64 KiB', FRAME.control, 1],
    ['a goaway', FRAME.goaway, 0],
  ])('the gateway refuses %s before the proof from the header alone', async (_what, type, stream) => {
    const { outcome, sendRaw } = against('gateway', new ManualClock())
    const header = Buffer.alloc(9)
    header.writeUInt32BE(4_000, 0)
    header.writeUInt8(type, 4)
    header.writeUInt32BE(stream, 5)
    await sendRaw(header)
    expect(causeOf(await outcome)).toMatchObject({ by: 'agent', reason: 'protocol' })
  })

  test.each<[string, FrameType, unknown, number]>([
    ['bytes', FRAME.data, 'x', 1],
    ['a stream', FRAME.open, { kind: 'auth', header: {} }, 2],
  ])('the agent accepts no %s before it has proved its key', async (_what, type, payload, stream) => {
    const { outcome, send } = against('agent', new ManualClock())
    await send(type, payload, stream)
    expect(causeOf(await outcome)).toMatchObject({ by: 'gateway', reason: 'protocol' })
  })

  test('the agent refuses a server of another version', async () => {
    const { outcome, send } = against('agent', new ManualClock())
    await send(FRAME.hello, { type: 'challenge', version: 2, nonce: 'n'.repeat(43), windowBytes: 1_000 })
    expect(causeOf(await outcome).message).toContain('a challenge of version 1')
  })

  test.each(['gateway', 'agent'] as const)('the %s times out after 10 seconds', async (side) => {
    const clock = new ManualClock()
    const { outcome } = against(side, clock)
    await clock.advanceAsync(10_000)
    expect(causeOf(await outcome).reason).toBe('handshake-timeout')
    expect(clock.pending).toBe(0)
  })

  test('reports a connection lost during the handshake as the cause', async () => {
    const { outcome, transport } = against('gateway', new ManualClock())
    transport.close({ by: 'network', reason: 'disconnected', message: 'gone' })
    expect(causeOf(await outcome)).toEqual({ by: 'network', reason: 'disconnected', message: 'gone' })
  })

  test('arbitrary bytes neither establish a link without a proof nor throw', async () => {
    const frame = record({
      type: constantFrom(...Object.values(FRAME)),
      stream: constantFrom(0, 0, 1, 2),
      payload: oneof(
        uint8Array({ maxLength: 30 }),
        constantFrom('{}', '{"type":"welcome"}', '{"type":"proof","signature":"","windowBytes":9}').map((text) =>
          Buffer.from(text),
        ),
      ),
    })
    await assert(
      asyncProperty(array(frame, { minLength: 1, maxLength: 6 }), async (frames) => {
        const clock = new ManualClock()
        const [transport, raw] = MemoryTransport.pair(256 * 1024)
        const outcome = serverHandshake(transport, { uid: UID, publicKeyPem }, ownerOf(clock))
        const batch = new FrameBatch()
        for (const { type, stream, payload } of frames) batch.add(type, stream, payload)
        raw.send(batch.take())
        await settle()
        await clock.advanceAsync(10_000)
        expect(await outcome).toHaveProperty('cause')
      }),
      { numRuns: 200 },
    )
  })
})

describe('a device proof', () => {
  test('verifies only for its own device, nonce and key', () => {
    const signature = signProof(privateKey, UID, 'nonce')
    expect(verifyProof(publicKeyPem, UID, 'nonce', signature)).toBe(true)
    expect(verifyProof(publicKeyPem, UID, 'other', signature)).toBe(false)
    expect(verifyProof(publicKeyPem, 'b'.repeat(64), 'nonce', signature)).toBe(false)
    expect(
      verifyProof(publicKeyPem, UID, 'nonce', `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`),
    ).toBe(false)
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
    expect(verifyProof(other, UID, 'nonce', signature)).toBe(false)
  })

  test('signing with a key of another type throws', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    expect(() => signProof(ec.privateKey, UID, 'nonce')).toThrow('must be Ed25519 or RSA, this one is ec')
    const pem = ec.publicKey.export({ type: 'spki', format: 'pem' })
    expect(verifyProof(pem, UID, 'nonce', signProof(privateKey, UID, 'nonce'))).toBe(false)
  })
})
