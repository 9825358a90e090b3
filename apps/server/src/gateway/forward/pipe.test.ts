import type { LinkStream } from '@bowline/link/api'
import type { SshChannel } from '@bowline/ssh/api'
import { beforeEach, describe, expect, it } from 'vitest'
import { toDeviceFlow, toClientFlow } from './pipe.ts'

/** An end of a pipe with settable backpressure that counts returned credit. */
function fakeEnd() {
  const end = {
    room: true,
    written: [] as [string, number][],
    credit: 0,
    queuedBytes: 0,
    write(bytes: Uint8Array, lane = 0) {
      end.written.push([Buffer.from(bytes).toString(), lane])
      return end.room
    },
    consumed: (count: number) => void (end.credit += count),
  }
  return end
}

let channel: ReturnType<typeof fakeEnd>
let stream: ReturnType<typeof fakeEnd>
beforeEach(() => {
  channel = fakeEnd()
  stream = fakeEnd()
})
const asChannel = () => channel as unknown as SshChannel
const asStream = () => stream as unknown as LinkStream

describe('pipe', () => {
  it('returns credit at once while the other side has room', () => {
    toDeviceFlow(asChannel(), asStream()).pass(Buffer.from('hello'), 0)
    expect(stream.written).toEqual([['hello', 0]])
    expect(channel.credit).toBe(5)
  })

  it('withholds credit while the other side is full and returns it on drain', () => {
    stream.room = false
    const flow = toDeviceFlow(asChannel(), asStream())
    flow.pass(Buffer.from('abc'), 0)
    flow.pass(Buffer.from('de'), 0)
    expect(channel.credit).toBe(0)
    flow.drained()
    expect(channel.credit).toBe(5)
    flow.drained()
    expect(channel.credit).toBe(5)
  })

  it.each([
    ['device', (one: SshChannel, other: LinkStream) => toDeviceFlow(one, other), () => [channel, stream] as const],
    ['client', (one: SshChannel, other: LinkStream) => toClientFlow(other, one), () => [stream, channel] as const],
  ])('returns credit towards the %s for what is sent, not only when nothing is queued', (_to, flowOf, ends) => {
    const [source, sink] = ends()
    sink.room = false
    const flow = flowOf(asChannel(), asStream())
    flow.pass(Buffer.alloc(1_000), 0)
    sink.queuedBytes = 700
    flow.drained()
    expect(source.credit).toBe(300)
    flow.drained()
    expect(source.credit).toBe(300)
    sink.queuedBytes = 0
    flow.drained()
    expect(source.credit).toBe(1_000)
  })

  it('keeps stderr separate towards the client', () => {
    toClientFlow(asStream(), asChannel()).pass(Buffer.from('oops'), 1)
    expect(channel.written).toEqual([['oops', 1]])
    expect(stream.credit).toBe(4)
  })
})
