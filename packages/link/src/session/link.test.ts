import { describe, expect, test } from 'vitest'
import type { LinkCause, LinkStream, StreamHandler } from '../api.ts'
import { RecordedStream, linkPair, settle } from '../testing/pair.ts'

const text = (words: string): Uint8Array => Buffer.from(words)

/** A pair whose agent records every stream that the gateway opens. */
function recordedPair(options: Parameters<typeof linkPair>[0] = {}, accept: { consume?: boolean } = {}) {
  const accepted: RecordedStream[] = []
  const pair = linkPair({ ...options, agent: { open: RecordedStream.accept(accepted, accept), ...options.agent } })
  const acceptedStream = (index: number): RecordedStream & { stream: LinkStream } => {
    const recorded = accepted[index]
    if (!recorded?.stream) throw new Error(`stream ${index} was not accepted`)
    return Object.assign(recorded, { stream: recorded.stream })
  }
  return { ...pair, accepted, acceptedStream }
}

describe('a stream', () => {
  test('delivers bytes, lanes, control and eof in the order they were written', async () => {
    const { gateway, acceptedStream } = recordedPair()
    const { stream } = RecordedStream.open(gateway, 'session', { login: 4 })
    stream.write(text('one '))
    stream.control({ type: 'first' })
    stream.write(text('oops'), 1)
    stream.write(text('two'))
    stream.eof()
    stream.control({ type: 'last' })
    await settle()
    const peer = acceptedStream(0)
    expect(peer.kind).toBe('session')
    expect(peer.header).toEqual({ login: 4 })
    expect(peer.text(0)).toBe('one two')
    expect(peer.text(1)).toBe('oops')
    expect(peer.messages).toEqual([{ type: 'first' }, { type: 'last' }])
    expect(peer.events).toEqual(['data', 'control', 'data', 'data', 'eof', 'control'])
  })

  test('closes after its queue is sent and reports the cause to both owners once', async () => {
    const { gateway, agent, acceptedStream } = recordedPair()
    const own = RecordedStream.open(gateway, 'dial')
    const cause: LinkCause = { by: 'user', reason: 'disconnected', message: 'the client went away' }
    own.stream.write(text('bye'))
    own.stream.close(cause)
    own.stream.close({ ...cause, reason: 'second' })
    await settle()
    const peer = acceptedStream(0)
    expect(peer.text()).toBe('bye')
    expect(peer.events).toEqual(['data', 'closed'])
    expect(own.events).toEqual(['closed'])
    expect([own.cause, peer.cause]).toMatchObject([cause, cause])
    expect([gateway.streamCount, agent.streamCount]).toEqual([0, 0])
  })

  test('does nothing when used after it has closed', async () => {
    const { gateway, acceptedStream, errors } = recordedPair()
    const own = RecordedStream.open(gateway, 'dial')
    await settle()
    own.stream.close()
    await settle()
    expect(own.stream.write(text('late'))).toBe(true)
    own.stream.control({})
    own.stream.eof()
    own.stream.consumed(5)
    own.stream.close()
    await settle()
    expect(own.events).toEqual(['closed'])
    expect(acceptedStream(0).events).toEqual(['closed'])
    expect(own.cause).toEqual({ by: 'gateway', reason: 'done', message: '' })
    expect(errors).toEqual([])
  })

  test('closes at once with `drop` although the peer grants no credit for its queue', async () => {
    const options = { windowBytes: 16, windowMaxBytes: 16 }
    const { gateway, acceptedStream } = recordedPair({ options }, { consume: false })
    const own = RecordedStream.open(gateway, 'session')
    own.stream.write(new Uint8Array(100))
    await settle()
    own.stream.close()
    await settle()
    expect(own.cause).toBeUndefined()
    own.stream.close({ by: 'user', reason: 'disconnected', message: '' }, 'drop')
    await settle()
    expect(acceptedStream(0).bytes().length).toBe(16)
    expect(own.cause?.reason).toBe('done')
    expect(acceptedStream(0).cause?.reason).toBe('done')
  })

  test('sends an overtaking control ahead of bytes that wait for credit', async () => {
    const options = { windowBytes: 16, windowMaxBytes: 16 }
    const { gateway, acceptedStream } = recordedPair({ options }, { consume: false })
    const { stream } = RecordedStream.open(gateway, 'session')
    stream.write(new Uint8Array(100))
    stream.control({ type: 'in-order' })
    stream.control({ type: 'signal', name: 'INT' }, 'overtaking')
    await settle()
    expect(acceptedStream(0).messages).toEqual([{ type: 'signal', name: 'INT' }])
    expect(stream.queuedBytes).toBe(84)
  })

  test('closes with the peer’s cause when the peer refuses it', async () => {
    const refusal: LinkCause = { by: 'agent', reason: 'not-today', message: 'no' }
    const { gateway, agent } = linkPair({ agent: { open: () => refusal } })
    const own = RecordedStream.open(gateway, 'listen')
    own.stream.write(text('early bytes are dropped'))
    expect(await own.whenClosed()).toMatchObject(refusal)
    expect([gateway.streamCount, agent.streamCount]).toEqual([0, 0])
  })

  test('can be closed by its acceptor while it is being opened', async () => {
    const inner = new RecordedStream()
    const { gateway } = linkPair({
      agent: {
        open(_kind, _header, stream): StreamHandler {
          stream.write(text('hello'))
          stream.close({ by: 'agent', reason: 'short', message: '' })
          return inner
        },
      },
    })
    const own = RecordedStream.open(gateway, 'dial')
    await settle()
    expect(own.text()).toBe('hello')
    expect(own.cause?.reason).toBe('short')
    expect(inner.events).toEqual(['closed'])
  })

  test.each<[string, (stream: LinkStream) => void, string]>([
    ['drops it', (stream) => stream.close({ by: 'agent', reason: 'dropped', message: '' }, 'drop'), 'dropped'],
    ['overfills it', (stream) => stream.write(new Uint8Array(20_000_000)), 'overflow'],
  ])('gets one `closed` when its acceptor %s while it is being opened', async (_what, act, reason) => {
    const inner = new RecordedStream()
    const { gateway } = linkPair({
      agent: {
        open(_kind, _header, stream): StreamHandler {
          act(stream)
          return inner
        },
      },
    })
    const own = RecordedStream.open(gateway, 'dial')
    expect((await own.whenClosed()).reason).toBe(reason)
    await settle()
    expect(inner.events).toEqual(['closed'])
    expect(inner.cause?.reason).toBe(reason)
  })

  test('makes no callbacks from inside its own calls', async () => {
    const { gateway } = recordedPair()
    let inside = false
    const calls: string[] = []
    const note = (name: string) => () => calls.push(inside ? `${name} inside` : name)
    const stream = gateway.open('dial', {}, { data: note('data'), drain: note('drain'), closed: note('closed') })
    inside = true
    stream.write(new Uint8Array(1_000_000))
    stream.close(undefined, 'drop')
    inside = false
    await settle()
    expect(calls).toEqual(['closed'])
  })

  test('closes and reports a throwing handler without affecting other streams', async () => {
    const fault = new Error('a bug')
    const broken: StreamHandler = {
      data() {
        throw fault
      },
      closed() {
        throw fault
      },
    }
    const accepted: RecordedStream[] = []
    const record = RecordedStream.accept(accepted)
    const { gateway, errors, ends } = linkPair({
      agent: { open: (kind, header, stream) => (kind === 'dial' ? broken : record(kind, header, stream)) },
    })
    const bad = RecordedStream.open(gateway, 'dial')
    const good = RecordedStream.open(gateway, 'session')
    bad.stream.write(text('x'))
    good.stream.write(text('fine'))
    await settle()
    expect(bad.cause).toMatchObject({ by: 'agent', reason: 'internal-error', message: 'the stream failed' })
    expect(errors).toEqual([fault, fault])
    expect(accepted[0]?.text()).toBe('fine')
    expect(ends).toEqual({})
  })

  test('refuses a stream whose opening throws', async () => {
    const { gateway, errors } = linkPair({
      agent: {
        open() {
          throw new Error('a bug')
        },
      },
    })
    const own = RecordedStream.open(gateway, 'dial')
    expect((await own.whenClosed()).reason).toBe('internal-error')
    expect(errors).toHaveLength(1)
  })

  test('closes when a control message exceeds 64 KiB or is not JSON', async () => {
    const { gateway, acceptedStream } = recordedPair()
    const own = RecordedStream.open(gateway, 'session')
    const other = RecordedStream.open(gateway, 'session')
    await settle()
    own.stream.control({ text: 'x'.repeat(64 * 1024) })
    other.stream.control({ number: 1n })
    expect((await own.whenClosed()).reason).toBe('too-large')
    expect((await other.whenClosed()).reason).toBe('too-large')
    await settle()
    expect(acceptedStream(0).cause?.reason).toBe('too-large')
  })
})

describe('the memory of bytes', () => {
  test('gives the handler its own copy of exact size unless it borrows', async () => {
    const chunks: Uint8Array[] = []
    const received: Uint8Array[] = []
    const open = (transient: boolean) => (): StreamHandler => ({
      transient,
      data: (bytes) => received.push(bytes),
      closed: () => undefined,
    })
    for (const transient of [false, true]) {
      const { gateway, gatewayTransport } = linkPair({ agent: { open: open(transient) } })
      gatewayTransport.tamper = (chunk) => (chunks.push(chunk), [chunk])
      RecordedStream.open(gateway, 'dial').stream.write(new Uint8Array(300))
      await settle()
    }
    const [own, borrowed] = received
    expect([own?.length, borrowed?.length]).toEqual([300, 300])
    expect(own?.buffer.byteLength).toBe(300)
    expect(chunks.some((chunk) => chunk.buffer === own?.buffer)).toBe(false)
    expect(chunks.some((chunk) => chunk.buffer === borrowed?.buffer)).toBe(true)
  })

  test('returns written memory only when `done` is called, and delivers what was written', async () => {
    const { gateway, gatewayTransport, acceptedStream } = recordedPair()
    const { stream } = RecordedStream.open(gateway, 'dial')
    await settle()
    const told: number[] = []
    const write = (letter: string, bytes: number): void => {
      const memory = Buffer.alloc(bytes, letter)
      stream.write(memory, 0, () => {
        told.push(bytes)
        memory.fill('!')
      })
    }
    write('a', 20_000)
    write('b', 500)
    write('c', 500)
    await settle()
    gatewayTransport.hold()
    // More than the window: `done` for the rest must be called once it has been sent, too.
    write('d', 200_000)
    write('e', 200_000)
    await settle()
    expect(told.filter((bytes) => bytes === 200_000).length).toBeLessThan(2)
    gatewayTransport.release()
    await settle()
    const expected = 'a'.repeat(20_000) + 'b'.repeat(500) + 'c'.repeat(500) + 'd'.repeat(200_000) + 'e'.repeat(200_000)
    expect(acceptedStream(0).text() === expected).toBe(true)
    expect(told.toSorted((a, b) => a - b)).toEqual([500, 500, 20_000, 200_000, 200_000])
  })
})

describe('credit', () => {
  test('limits the sender to the window until the reader consumes, and returns credit by quarters', async () => {
    const options = { windowBytes: 1_000, windowMaxBytes: 1_000 }
    const { gateway, acceptedStream } = recordedPair({ options }, { consume: false })
    const own = RecordedStream.open(gateway, 'dial')
    expect(own.stream.write(new Uint8Array(3_000))).toBe(false)
    await settle()
    const peer = acceptedStream(0)
    expect(peer.bytes().length).toBe(1_000)
    peer.stream.consumed(249)
    await settle()
    expect(peer.bytes().length).toBe(1_000)
    peer.stream.consumed(1)
    await settle()
    expect(peer.bytes().length).toBe(1_250)
    expect(own.stream.queuedBytes).toBe(1_750)
  })

  test('never grants more than was received, whatever the owner claims to have consumed', async () => {
    const options = { windowBytes: 1_000, windowMaxBytes: 1_000 }
    const { gateway, acceptedStream } = recordedPair({ options }, { consume: false })
    const own = RecordedStream.open(gateway, 'dial')
    own.stream.write(new Uint8Array(300))
    await settle()
    acceptedStream(0).stream.consumed(1_000_000)
    acceptedStream(0).stream.consumed(1_000_000)
    own.stream.write(new Uint8Array(5_000))
    await settle()
    expect(acceptedStream(0).bytes().length).toBe(1_300)
  })

  test('moves everything through a small window when the reader keeps up', async () => {
    const options = { windowBytes: 64, windowMaxBytes: 64, frameBytes: 7 }
    const { gateway, acceptedStream } = recordedPair({ options })
    const own = RecordedStream.open(gateway, 'dial')
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251))
    own.stream.write(bytes)
    own.stream.eof()
    await settle()
    expect(acceptedStream(0).bytes().equals(bytes)).toBe(true)
    expect(acceptedStream(0).events.at(-1)).toBe('eof')
  })

  test('grows the window for a reader that keeps up, to the limit of the stream', async () => {
    const options = { windowBytes: 1_000, windowMaxBytes: 4_000 }
    const { gateway, acceptedStream } = recordedPair({ options })
    const own = RecordedStream.open(gateway, 'dial')
    own.stream.write(new Uint8Array(50_000))
    await settle()
    const peer = acceptedStream(0)
    expect(peer.bytes().length).toBe(50_000)
    expect(await unreadBytes(peer, own)).toBe(4_000)
  })

  test('grows the window of a stream that keeps moving bytes, also when it never runs out of credit', async () => {
    const { gateway, acceptedStream } = recordedPair({ options: { windowBytes: 1_000, windowMaxBytes: 4_000 } })
    const own = RecordedStream.open(gateway, 'dial')
    for (let moved = 0; moved < 20_000; moved += 100) {
      own.stream.write(new Uint8Array(100))
      await settle()
    }
    expect(await unreadBytes(acceptedStream(0), own)).toBeGreaterThan(3_000)
  })

  test('does not grow the window for a reader that is behind', async () => {
    const options = { windowBytes: 1_000, windowMaxBytes: 4_000 }
    const { gateway, acceptedStream } = recordedPair({ options }, { consume: false })
    const own = RecordedStream.open(gateway, 'dial')
    own.stream.write(new Uint8Array(50_000))
    await settle()
    expect(acceptedStream(0).bytes().length).toBe(1_000)
  })

  test('grows windows only within the link’s budget, which closed streams release', async () => {
    const options = { windowBytes: 1_000, windowMaxBytes: 100_000, growthBytes: 3_000 }
    const { gateway, acceptedStream } = recordedPair({ options })
    const first = RecordedStream.open(gateway, 'dial')
    first.stream.write(new Uint8Array(50_000))
    await settle()
    expect(await unreadBytes(acceptedStream(0), first)).toBe(4_000)
    const second = RecordedStream.open(gateway, 'dial')
    second.stream.write(new Uint8Array(50_000))
    await settle()
    expect(await unreadBytes(acceptedStream(1), second)).toBe(1_000)
    first.stream.close(undefined, 'drop')
    await settle()
    const third = RecordedStream.open(gateway, 'dial')
    third.stream.write(new Uint8Array(50_000))
    await settle()
    expect(await unreadBytes(acceptedStream(2), third)).toBe(4_000)
  })

  test.each([
    { windowBytes: 5_000, moved: 5_000 },
    { windowBytes: 100, moved: 1_000 },
  ])('starts with the opener’s own window of $windowBytes bytes', async ({ windowBytes, moved }) => {
    const options = { windowBytes: 1_000, windowMaxBytes: 1_000 }
    const { gateway, acceptedStream } = recordedPair({ options })
    const own = RecordedStream.open(gateway, 'dial', {}, { consume: false, windowBytes })
    await settle()
    const peer = acceptedStream(0)
    peer.stream.write(new Uint8Array(20_000))
    await settle()
    expect(own.bytes().length).toBe(moved)
    own.stream.consumed(moved)
    await settle()
    expect(own.bytes().length - moved).toBe(windowBytes)
  })

  test('keeps granting credit on a closing stream so that neither side deadlocks', async () => {
    const options = { windowBytes: 100, windowMaxBytes: 100 }
    const { gateway, acceptedStream } = recordedPair({ options }, { consume: false })
    const own = RecordedStream.open(gateway, 'dial', {}, { consume: false })
    own.stream.write(new Uint8Array(1_000))
    await settle()
    const peer = acceptedStream(0)
    peer.stream.write(new Uint8Array(1_000))
    await settle()
    own.stream.close()
    await settle()
    expect(peer.stream.queuedBytes).toBe(0)
    for (let step = 0; step < 20; step += 1) {
      peer.stream.consumed(100)
      await settle()
    }
    expect(peer.bytes().length).toBe(1_000)
    expect(peer.cause?.reason).toBe('done')
  })
})

describe('backpressure', () => {
  test('write returns false when credit runs out, and drain follows once everything is sent', async () => {
    const options = { windowBytes: 1_000, windowMaxBytes: 1_000 }
    const { gateway, acceptedStream } = recordedPair({ options }, { consume: false })
    const own = RecordedStream.open(gateway, 'dial')
    expect(own.stream.write(new Uint8Array(500))).toBe(true)
    await settle()
    expect(own.stream.write(new Uint8Array(600))).toBe(false)
    await settle()
    expect(own.drains).toBe(0)
    acceptedStream(0).stream.consumed(1_000)
    await settle()
    expect(own.drains).toBe(1)
    expect(acceptedStream(0).bytes().length).toBe(1_100)
  })

  test('write returns false while the socket is backed up, and the socket gets a bounded amount', async () => {
    const options = { windowBytes: 1 << 24, socketHighBytes: 100_000 }
    const { gateway, gatewayTransport, acceptedStream } = recordedPair({ options })
    const own = RecordedStream.open(gateway, 'dial')
    await settle()
    gatewayTransport.hold()
    const before = gatewayTransport.sentBytes
    expect(own.stream.write(new Uint8Array(1_000_000))).toBe(false)
    await settle()
    expect(gatewayTransport.sentBytes - before).toBeLessThan(200_000)
    expect(own.drains).toBe(0)
    gatewayTransport.release()
    await settle()
    expect(acceptedStream(0).bytes().length).toBe(1_000_000)
    expect(own.drains).toBe(1)
  })

  test('a small write also returns false while other streams fill the socket, and gets drain afterwards', async () => {
    const options = { windowBytes: 1 << 24, socketHighBytes: 100_000 }
    const { gateway, gatewayTransport } = recordedPair({ options })
    const bulk = RecordedStream.open(gateway, 'dial')
    const small = RecordedStream.open(gateway, 'dial')
    const idle = RecordedStream.open(gateway, 'dial')
    await settle()
    gatewayTransport.hold()
    bulk.stream.write(new Uint8Array(1_000_000))
    await settle()
    expect(small.stream.write(text('x'))).toBe(false)
    gatewayTransport.release()
    await settle()
    expect([bulk.drains, small.drains, idle.drains]).toEqual([1, 1, 0])
    expect(small.stream.write(text('x'))).toBe(true)
  })

  test('closes a stream at the limit when its owner ignores backpressure', async () => {
    const options = { windowBytes: 1_000, queueMaxBytes: 10_000 }
    const { gateway, acceptedStream } = recordedPair({ options }, { consume: false })
    const own = RecordedStream.open(gateway, 'dial')
    for (let count = 0; count < 12; count += 1) own.stream.write(new Uint8Array(1_000))
    expect((await own.whenClosed()).reason).toBe('overflow')
    await settle()
    expect(acceptedStream(0).cause?.reason).toBe('overflow')
  })

  test('bounds queued control messages', async () => {
    const { gateway, gatewayTransport } = recordedPair({ options: { socketHighBytes: 1 } })
    const own = RecordedStream.open(gateway, 'session')
    await settle()
    gatewayTransport.hold()
    for (let count = 0; count < 40; count += 1) own.stream.control({ text: 'x'.repeat(60_000) })
    expect((await own.whenClosed()).reason).toBe('overflow')
  })

  test('merges queued one-byte writes into few pieces', async () => {
    const options = { windowBytes: 64, windowMaxBytes: 64 }
    const { gateway, acceptedStream } = recordedPair({ options }, { consume: false })
    const own = RecordedStream.open(gateway, 'dial')
    for (let count = 0; count < 10_000; count += 1) own.stream.write(Buffer.from([count % 251]))
    await settle()
    const peer = acceptedStream(0)
    for (let step = 0; step < 1_000 && peer.bytes().length < 10_000; step += 1) {
      peer.stream.consumed(64)
      await settle()
    }
    expect(peer.bytes().equals(Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251)))).toBe(true)
  })
})

/** Bytes that arrive at `reader` when it stops consuming: the window it has been granted. */
async function unreadBytes(reader: RecordedStream, writer: { stream: LinkStream }): Promise<number> {
  const before = reader.bytes().length
  reader.consumes = false
  writer.stream.write(new Uint8Array(200_000))
  await settle()
  return reader.bytes().length - before
}
