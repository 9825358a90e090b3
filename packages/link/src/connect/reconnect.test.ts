import { ManualClock } from '@bowline/base/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import type { Link, LinkCause, LinkHandler } from '../api.ts'
import type { DialOutcome } from './dial.ts'
import { LinkKeeper, SETTLED_MS } from './reconnect.ts'
import { settle } from '../testing/pair.ts'

const REFUSED: LinkCause = { by: 'network', reason: 'connect-failed', message: 'nothing listens there' }
const LOST: LinkCause = { by: 'network', reason: 'keepalive', message: 'silence' }
const DISPLACED: LinkCause = { by: 'gateway', reason: 'displaced', message: 'another agent came' }
const DRAINING: LinkCause = { by: 'gateway', reason: 'draining', message: 'the server is stopping' }
const STOPPED: LinkCause = { by: 'agent', reason: 'stopped', message: 'the agent is stopping' }

class FakeLink implements Link {
  streamCount = 0
  goneAway: LinkCause | undefined
  closedWith: LinkCause | undefined
  readonly handler: LinkHandler

  constructor(handler: LinkHandler) {
    this.handler = handler
  }

  open(): never {
    throw new Error('an agent opens no streams')
  }

  goaway(cause: LinkCause): void {
    this.goneAway = cause
  }

  close(cause: LinkCause): void {
    if (this.closedWith) return
    this.closedWith = cause
    this.handler.closed(cause)
  }
}

/** A keeper whose attempts return `answers` in order, then links. */
function keeperWith(answers: (DialOutcome | Error)[] = [], random: () => number = () => 0.5) {
  const clock = new ManualClock()
  const links: FakeLink[] = []
  const waits: { ms: number; reason: string }[] = []
  const linked: Link[] = []
  const ends: LinkCause[] = []
  let attempts = 0
  const keeper = new LinkKeeper({
    dial(handler) {
      attempts += 1
      const answer = answers.shift()
      if (answer instanceof Error) return Promise.reject(answer)
      if (answer) return Promise.resolve(answer)
      const link = new FakeLink(handler)
      links.push(link)
      return Promise.resolve({ link })
    },
    handler: { open: () => REFUSED, closed: (cause) => ends.push(cause) },
    clock,
    random,
    linked: (link) => linked.push(link),
    waiting: (ms, cause) => waits.push({ ms, reason: cause.reason }),
    report(error) {
      throw error
    },
  })
  const last = (): FakeLink => {
    const link = links.at(-1)
    if (!link) throw new Error('no link was established')
    return link
  }
  return { keeper, clock, links, last, waits, linked, ends, attempts: () => attempts }
}

describe('the keeper of a link', () => {
  test('retries until there is a link', async () => {
    const { keeper, clock, waits, linked, attempts } = keeperWith([
      { cause: REFUSED },
      new Error('registration failed'),
      { cause: { by: 'gateway', reason: 'unavailable', message: '503' }, retryAfterSeconds: 10 },
    ])
    keeper.start()
    await settle()
    expect(attempts()).toBe(1)
    await clock.advanceAsync(60_000)
    expect(attempts()).toBe(4)
    expect(waits).toEqual([
      { ms: 250, reason: 'connect-failed' },
      { ms: 500, reason: 'attempt-failed' },
      { ms: 11_000, reason: 'unavailable' },
    ])
    expect(linked).toHaveLength(1)
  })

  test('resets the backoff after a link that lasted, and not after one that did not', async () => {
    const { keeper, clock, last, waits, ends } = keeperWith([{ cause: REFUSED }, { cause: REFUSED }])
    keeper.start()
    await clock.advanceAsync(5_000)
    last().close(LOST)
    await clock.advanceAsync(5_000)
    last().close(LOST)
    await clock.advanceAsync(5_000 + SETTLED_MS)
    last().close(LOST)
    expect(waits.map(({ ms }) => ms)).toEqual([250, 500, 1_000, 2_000, 250])
    expect(ends).toEqual([LOST, LOST, LOST])
  })

  test('resets the backoff when a link that lasted is asked to move', async () => {
    const answers: DialOutcome[] = [{ cause: REFUSED }, { cause: REFUSED }, { cause: REFUSED }]
    const { keeper, clock, last, waits } = keeperWith(answers)
    keeper.start()
    await clock.advanceAsync(5_000 + SETTLED_MS)
    answers.push({ cause: REFUSED })
    last().handler.goaway?.(DRAINING)
    await clock.advanceAsync(60_000)
    expect(waits.at(-1)).toEqual({ ms: 250, reason: 'connect-failed' })
  })

  test('backs off when another agent with the same identity displaces it', async () => {
    const { keeper, clock, last, waits, attempts } = keeperWith()
    keeper.start()
    for (let round = 0; round < 6; round += 1) {
      await settle()
      last().close(DISPLACED)
      await clock.advanceAsync(16 * 60_000)
    }
    expect(attempts()).toBe(7)
    expect(waits.map(({ ms }) => ms / 60_000)).toEqual([0.75, 1.5, 3, 6, 11.25, 11.25])
  })

  test('moves to a new link when asked, and leaves the old one when its last stream has ended', async () => {
    const { keeper, clock, links, last, linked, attempts } = keeperWith()
    keeper.start()
    await settle()
    const old = last()
    old.streamCount = 2
    old.handler.goaway?.(DRAINING)
    old.handler.goaway?.(DRAINING)
    await clock.advanceAsync(10_000)
    expect(linked).toEqual(links)
    expect(links).toHaveLength(2)
    expect(old.closedWith).toBeUndefined()
    old.streamCount = 0
    await clock.advanceAsync(2_000)
    expect(old.closedWith?.reason).toBe('moved')
    expect(last().closedWith).toBeUndefined()
    await clock.advanceAsync(60_000)
    expect(attempts()).toBe(2)
  })

  test('makes one attempt, not two, when the link ends after it is asked to move', async () => {
    const { keeper, clock, last, attempts } = keeperWith()
    keeper.start()
    await settle()
    last().handler.goaway?.(DRAINING)
    last().close(LOST)
    await clock.advanceAsync(60_000)
    expect(attempts()).toBe(2)
  })

  test('does not count a link that ended before its attempt completed', async () => {
    const clock = new ManualClock()
    const linked: Link[] = []
    let attempts = 0
    const keeper = new LinkKeeper({
      dial(handler) {
        attempts += 1
        const link = new FakeLink(handler)
        if (attempts === 1) link.close(LOST)
        return Promise.resolve({ link })
      },
      handler: { open: () => REFUSED, closed: () => undefined },
      clock,
      random: () => 0.5,
      linked: (link) => linked.push(link),
      report(error) {
        throw error
      },
    })
    keeper.start()
    await settle()
    expect(linked).toHaveLength(0)
    await clock.advanceAsync(60_000)
    expect([attempts, linked.length]).toEqual([2, 1])
  })

  test('asks the server to open no more streams and stops dialling when it drains', async () => {
    const { keeper, clock, last, attempts } = keeperWith()
    keeper.start()
    await settle()
    keeper.drain(STOPPED)
    expect(last().goneAway).toEqual(STOPPED)
    last().close(LOST)
    await clock.advanceAsync(600_000)
    expect(attempts()).toBe(1)
    expect(clock.pending).toBe(0)
  })

  test('closes the link of an attempt that was in flight when it stopped', async () => {
    const { keeper, last, linked, attempts } = keeperWith()
    keeper.start()
    keeper.close(STOPPED)
    await settle()
    expect(last().closedWith).toEqual(STOPPED)
    expect(linked).toEqual([])
    expect(attempts()).toBe(1)
  })
})
