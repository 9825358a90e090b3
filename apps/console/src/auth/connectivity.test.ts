import { describe, expect, it } from 'vitest'
import { jsonResponse } from '../testing/answers.ts'
import { createFakeTimers } from '../testing/fake-timers.ts'
import { watchConnectivity, watchedFetch } from './connectivity.ts'

function setUp() {
  const timers = createFakeTimers()
  let probes = 0
  let up = false
  const watch = watchConnectivity({
    probe: () => {
      probes += 1
      return up ? Promise.resolve() : Promise.reject(new TypeError('fetch failed'))
    },
    later: timers.later,
    now: timers.now,
  })
  return { watch, timers, probes: () => probes, comeBack: () => (up = true) }
}
const watchesNothing = { began: () => () => {}, answered: () => 0 }
/** Lets pending answers arrive. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a server that does not answer', () => {
  it('probes an unreachable server again after pauses that grow up to a limit', async () => {
    const { watch, timers } = setUp()
    watch.failed('')
    const pauses: number[] = []
    for (let count = 0; count < 7; count += 1) {
      const [pause = 0] = timers.waiting
      pauses.push(pause)
      timers.advance(pause)
      await settle()
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
  })

  it('becomes reachable after the first answer and cancels the next probe', async () => {
    const { watch, timers, comeBack } = setUp()
    watch.failed('')
    comeBack()
    timers.advance(1_000)
    await settle()
    expect(watch.state.get()).toEqual({ kind: 'reachable' })
    expect(timers.waiting).toEqual([])
  })

  it('sends one probe at a time when retried by hand', async () => {
    const { watch, probes } = setUp()
    watch.failed('')
    watch.retryNow()
    watch.retryNow()
    expect(probes()).toBe(1)
    await settle()
    watch.retryNow()
    expect(probes()).toBe(2)
  })

  it('reports the server’s own message and the time of the next attempt', () => {
    const { watch } = setUp()
    watch.failed('The database does not answer.')
    expect(watch.state.get()).toEqual({
      kind: 'unreachable',
      cause: 'The database does not answer.',
      retryAt: 1_000,
    })
  })
})

describe('a watched request', () => {
  it('reports a missing answer and 5xx, but not a refused call', async () => {
    const { watch } = setUp()
    const seen: string[] = []
    const report = {
      failed: (cause: string) => seen.push(`failed ${cause}`),
      succeeded: () => seen.push('ok'),
      ...watchesNothing,
    }
    await watchedFetch(async () => jsonResponse({ message: 'no' }, { status: 404 }), report)('/x')
    await watchedFetch(async () => jsonResponse({ message: 'No database.' }, { status: 503 }), report)('/x')
    await watchedFetch(async () => new Response('<html>', { status: 502 }), report)('/x')
    await expect(watchedFetch(() => Promise.reject(new TypeError('x')), report)('/x')).rejects.toThrow('x')
    const slow = () => Promise.reject(new DOMException('too slow', 'TimeoutError'))
    await expect(watchedFetch(slow, report)('/x')).rejects.toThrow('too slow')
    expect(seen).toEqual(['ok', 'failed No database.', 'failed ', 'failed ', 'failed '])
    expect(watch.state.get().kind).toBe('reachable')
  })

  it('reports nothing for an aborted request', async () => {
    const seen: string[] = []
    const report = { failed: () => seen.push('failed'), succeeded: () => seen.push('ok'), ...watchesNothing }
    const aborted = () => Promise.reject(new DOMException('given up', 'AbortError'))
    await expect(watchedFetch(aborted, report)('/x')).rejects.toThrow('given up')
    expect(seen).toEqual([])
  })

  it('leaves the body of a failed answer readable', async () => {
    const report = { failed: () => {}, succeeded: () => {}, ...watchesNothing }
    const response = await watchedFetch(async () => jsonResponse({ message: 'No.' }, { status: 503 }), report)('/x')
    expect(await response.json()).toEqual({ message: 'No.' })
  })

  it('is slow while it has no answer for long, and until all of them have one', async () => {
    const { watch, timers } = setUp()
    const pending = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()]
    const calls = pending.map(({ promise }) => watchedFetch(() => promise, watch)('/x'))
    timers.advance(5_999)
    expect(watch.isSlow.get()).toBe(false)
    timers.advance(1)
    expect(watch.isSlow.get()).toBe(true)
    pending[0]?.resolve(jsonResponse({}))
    await calls[0]
    expect(watch.isSlow.get()).toBe(true)
    pending[1]?.reject(new DOMException('too slow', 'TimeoutError'))
    await expect(calls[1]).rejects.toThrow('too slow')
    expect(watch.isSlow.get()).toBe(false)
    // The server answered the other one meanwhile.
    expect(watch.state.get().kind).toBe('reachable')
  })

  it('means an unreachable server when it gets no answer in time and no other one does', async () => {
    const { watch } = setUp()
    await watchedFetch(async () => jsonResponse({}), watch)('/x')
    const slow = () => Promise.reject(new DOMException('too slow', 'TimeoutError'))
    await expect(watchedFetch(slow, watch)('/x')).rejects.toThrow('too slow')
    expect(watch.state.get().kind).toBe('unreachable')
  })
})
