import { TenantId } from '@bowline/contract/schemas/common'
import { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { createEventBus } from './bus.ts'

const tenant = TenantId.parse('11111111-1111-4111-8111-111111111111')
const other = TenantId.parse('22222222-2222-4222-8222-222222222222')
const removed = (digit: string) => ({ type: 'device.removed' as const, uid: DeviceUid.parse(digit.repeat(64)) })

function setUp() {
  const clock = new ManualClock()
  const bus = createEventBus(clock, 'life')
  const listen = (lastId?: string) => {
    const received: string[] = []
    bus.listen(tenant, lastId, ({ id, type }) => received.push(`${id} ${type}`))
    return received
  }
  /** Subscribes and unsubscribes at once, so that the channel exists without a listener. */
  const visit = (which = tenant) => bus.listen(which, undefined, () => undefined)()
  return { bus, listen, visit, pass: (ms: number) => clock.advance(ms) }
}

describe('event bus', () => {
  it('delivers events only to listeners of their namespace', () => {
    const { bus, listen } = setUp()
    const received = listen()
    bus.emit(other, removed('a'))
    bus.emit(tenant, removed('b'))
    expect(received).toEqual(['life.1-1 device.removed'])
  })

  it('replays the events after the last seen id', () => {
    const { bus, listen, visit } = setUp()
    visit()
    for (const digit of ['a', 'b', 'c']) bus.emit(tenant, removed(digit))
    expect(listen('life.1-1')).toEqual(['life.1-2 device.removed', 'life.1-3 device.removed'])
    expect(listen('life.1-3')).toEqual([])
  })

  it.each(['other.1-1', 'life.1-99', 'life.2-1', 'life.1--1', 'life.1-1e0', 'life.1-', 'nonsense'])(
    'sends reset to a listener with the unknown id %s',
    (lastId) => {
      const { bus, listen, visit } = setUp()
      visit()
      bus.emit(tenant, removed('a'))
      expect(listen(lastId)).toEqual(['life.1-1 reset'])
    },
  )

  it('sends reset to a listener whose missed events are older than five minutes', () => {
    const { bus, listen, pass } = setUp()
    listen()
    for (const digit of ['a', 'b']) bus.emit(tenant, removed(digit))
    pass(301_000)
    bus.emit(tenant, removed('c'))
    expect(listen('life.1-1')).toEqual(['life.1-3 reset'])
    expect(listen('life.1-2')).toEqual(['life.1-3 device.removed'])
  })

  it('keeps no events of a namespace without listeners', () => {
    const { bus, listen, visit, pass } = setUp()
    bus.emit(tenant, removed('a'))
    expect([bus.hasListeners(tenant), bus.channelCount]).toEqual([false, 0])
    visit()
    visit(other)
    bus.emit(tenant, removed('a'))
    pass(300_000)
    expect(bus.hasListeners(tenant)).toBe(true)
    pass(1)
    expect(bus.hasListeners(tenant)).toBe(false)
    // The other channel is dropped too, although nothing has happened in it since.
    bus.emit(tenant, removed('b'))
    expect(bus.channelCount).toBe(0)
    // Numbering restarts, so an id from before must not be mistaken for one from after.
    visit()
    bus.emit(tenant, removed('b'))
    bus.emit(tenant, removed('c'))
    expect(listen('life.1-1')).toEqual(['life.3-2 reset'])
  })

  it('keeps the channel of a namespace while it has a listener', () => {
    const { bus, listen, pass } = setUp()
    const received = listen()
    pass(301_000)
    bus.emit(other, removed('a'))
    pass(301_000)
    bus.emit(tenant, removed('b'))
    expect(received).toEqual(['life.1-1 device.removed'])
    expect(bus.listenerCount).toBe(1)
  })

  it('encodes an event once for all listeners', () => {
    const { bus } = setUp()
    const frames: Buffer[] = []
    for (let i = 0; i < 3; i += 1) bus.listen(tenant, undefined, ({ frame }) => frames.push(frame))
    bus.emit(tenant, removed('a'))
    expect(frames.map((frame) => frame === frames[0])).toEqual([true, true, true])
    expect(String(frames[0])).toBe(
      `id: life.1-1\nevent: device.removed\ndata: {"type":"device.removed","uid":"${'a'.repeat(64)}"}\n\n`,
    )
  })

  it('leaves a long public key out of what it sends to every listener', () => {
    const { bus } = setUp()
    const frames: string[] = []
    bus.listen(tenant, undefined, ({ frame }) => frames.push(String(frame)))
    for (const length of [1_024, 1_025]) {
      bus.emit(tenant, { type: 'device.changed', device: { public_key: 'k'.repeat(length) } as Device })
    }
    expect(frames.map((frame) => /"public_key":"(k*)"/.exec(frame)?.[1]?.length)).toEqual([1_024, 0])
  })

  it('sends reset to a listener whose missed events exceed the queue limit of a stream', () => {
    const { bus, listen, visit } = setUp()
    visit()
    // About 160 bytes each.
    for (let i = 0; i < 1_000; i += 1) bus.emit(tenant, removed('a'))
    expect(listen('life.1-1')).toEqual(['life.1-1000 reset'])
    expect(listen('life.1-990')).toHaveLength(10)
  })

  it('keeps at most 1,000 events per namespace', () => {
    const { bus, listen, visit } = setUp()
    visit()
    for (let i = 0; i < 1_002; i += 1) bus.emit(tenant, removed('a'))
    expect(listen('life.1-1')).toEqual(['life.1-1002 reset'])
    expect(listen('life.1-1000')).toHaveLength(2)
  })
})
