import type { CastEvent } from '@bowline/asciicast/cast'
import type { RecordingIndex } from '@bowline/contract/schemas/recording'
import { describe, expect, it } from 'vitest'
import { createIndexedSource } from './indexed-source.ts'
import { createPlayback } from './playback.ts'
import type { Source } from './source.ts'

const RESET = '<reset>'

/** A recording of numbered events with a keyframe after every tenth, whose screen is all output so far. */
function recording(times: readonly number[], endMs = times.at(-1) ?? 0) {
  const events = times.map((atMs, number): CastEvent => ({ atMs, code: 'o', data: `${number};` }))
  const frames = [0, ...events.flatMap((_, number) => (number % 10 === 9 ? [number + 1] : []))]
  const said = (count: number): string =>
    events
      .slice(0, count)
      .map(({ data }) => data)
      .join('')
  const timeOf = (count: number): number => events[count - 1]?.atMs ?? 0
  const index: RecordingIndex = {
    state: 'complete',
    indexed: true,
    started_at: new Date(0).toISOString(),
    ended_at: new Date(endMs).toISOString(),
    seconds: timeOf(events.length) / 1_000,
    bytes: events.length * 10,
    commands: [],
    keyframes: frames.map((count) => ({ time: timeOf(count) / 1_000, offset: count * 10, columns: 80, rows: 24 })),
  }
  const asked: [number, number][] = []
  const source = createIndexedSource(index, (fromMs, toMs) => {
    asked.push([fromMs, toMs])
    const count = fromMs === 0 ? 0 : (frames.findLast((frame) => timeOf(frame) <= fromMs) ?? 0)
    const screen: CastEvent[] = count === 0 ? [] : [{ atMs: fromMs, code: 'o', data: RESET + said(count) }]
    const rest = events.slice(count).filter(({ atMs }) => atMs <= toMs)
    return Promise.resolve({ header: { columns: 80, rows: 24 }, events: [...screen, ...rest] })
  })
  const shown = (ms: number): string => said(events.findLastIndex(({ atMs }) => atMs <= ms) + 1)
  return { source, asked, shown, endMs }
}

function player(times: readonly number[], end?: number) {
  const made = recording(times, end)
  let screen = ''
  let nowMs = 0
  let due: (() => void) | undefined
  const stage = {
    begin: () => (screen = ''),
    write: (text: string) => (screen = (screen + text).split(RESET).at(-1) ?? ''),
    resize: () => {},
    settled: () => Promise.resolve(),
    backlog: 0,
  }
  const frame = (work: () => void): (() => void) => {
    due = work
    return () => (due = undefined)
  }
  const playback = createPlayback({ source: made.source, stage, now: () => nowMs, frame })
  /** Runs animation frames until playback stops or a time has passed. */
  async function run(ms: number): Promise<void> {
    for (const until = nowMs + ms; nowMs < until;) {
      await new Promise(setImmediate)
      nowMs += 20
      const work = due
      due = undefined
      work?.()
    }
  }
  return { ...made, playback, run, screen: () => screen, state: () => playback.state.get() }
}

/** mulberry32: a deterministic random sequence. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Times with many events in the same millisecond, and some pauses. */
function someTimes(count: number, seed: number): number[] {
  const next = random(seed)
  let atMs = 0
  return Array.from({ length: count }, () => {
    const draw = next()
    atMs += draw < 0.4 ? 0 : draw < 0.95 ? Math.floor(next() * 200) : Math.floor(next() * 20_000)
    return atMs
  })
}

describe('a player', () => {
  it('shows at any time what playing from the start would show, whatever was sought before', async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const { playback, shown, screen, endMs } = player(someTimes(400, seed))
      const next = random(seed)
      for (let seek = 0; seek < 100; seek += 1) {
        const ms = Math.floor(next() * endMs)
        // Some seeks are superseded by the next one.
        const done = playback.seek(ms)
        if (next() < 0.3) continue
        await done
        expect({ ms, screen: screen() }).toEqual({ ms, screen: shown(ms) })
      }
    }
  })

  it('plays every event once and in order, across part boundaries, at any speed', async () => {
    for (const speed of [0.25, 1, 16]) {
      const { playback, run, shown, screen, state, endMs } = player(someTimes(200, 7))
      playback.setSpeed(speed)
      await playback.seek(0)
      playback.play()
      await run(400)
      const { atMs } = state()
      expect(screen()).toBe(shown(atMs))
      await run(endMs / speed + 5_000)
      expect(screen()).toBe(shown(endMs))
      expect(state()).toMatchObject({ playing: false, atMs: endMs })
    }
  })

  it('skips idle time, unless told not to', async () => {
    const times = [0, 100, 60_000, 60_100]
    const quick = player(times)
    await quick.playback.seek(0)
    quick.playback.play()
    await quick.run(3_000)
    expect(quick.screen()).toBe('0;1;2;3;')
    const patient = player(times)
    patient.playback.setSkipsIdle(false)
    await patient.playback.seek(0)
    patient.playback.play()
    await patient.run(3_000)
    expect(patient.screen()).toBe('0;1;')
  })

  it('lasts until its shell or command ended, and skips the silence before that', async () => {
    const { playback, run, screen, state, asked } = player([0, 100], 300_000)
    await playback.seek(0)
    expect(state().endMs).toBe(300_000)
    playback.play()
    await run(3_000)
    expect(screen()).toBe('0;1;')
    expect(state()).toMatchObject({ playing: false, atMs: 300_000 })
    expect(asked).toEqual([[0, 100]])
  })

  it('steps from event to event, both ways, across part boundaries', async () => {
    const times = Array.from({ length: 35 }, (_, number) => number * 100)
    const { playback, state } = player(times)
    await playback.seek(850)
    const seen: number[] = []
    for (let step = 0; step < 5; step += 1) {
      await playback.step(1)
      seen.push(state().atMs)
    }
    for (let step = 0; step < 5; step += 1) {
      await playback.step(-1)
      seen.push(state().atMs)
    }
    expect(seen).toEqual([900, 1_000, 1_100, 1_200, 1_300, 1_200, 1_100, 1_000, 900, 800])
  })

  it('fetches the needed part and a little ahead, not the whole recording', async () => {
    const { playback, asked, endMs } = player(Array.from({ length: 10_000 }, (_, number) => number * 3_600))
    expect(endMs).toBeGreaterThan(35_000_000)
    await playback.seek(0)
    await playback.seek(endMs / 2)
    await playback.seek(endMs)
    expect(asked.length).toBeLessThanOrEqual(3 + 3 * 4)
    const widest = Math.max(...asked.map(([from, to]) => to - from))
    expect(widest).toBeLessThanOrEqual(10 * 3_600)
  })

  it('fetches nothing for moments that a dragged handle only passes', async () => {
    const { source } = recording(Array.from({ length: 1_000 }, (_, number) => number * 100))
    const answers = Promise.withResolvers<void>()
    const asked: number[] = []
    const slow = { ...source, at: (ms: number) => (asked.push(ms), answers.promise.then(() => source.at(ms))) }
    const stage = { begin() {}, write() {}, resize() {}, settled: () => Promise.resolve(), backlog: 0 }
    const playback = createPlayback({ source: slow, stage, now: () => 0, frame: () => () => {} })
    const seeks = [playback.seek(1_000)]
    await new Promise(setImmediate)
    for (let ms = 2_000; ms <= 50_000; ms += 1_000) seeks.push(playback.seek(ms))
    answers.resolve()
    await Promise.all(seeks)
    expect(asked).toEqual([1_000, 50_000])
    expect(playback.state.get()).toMatchObject({ atMs: 50_000, waiting: false })
  })

  it('has prefetched the part under the pointer', async () => {
    const { playback, asked, shown, screen } = player(Array.from({ length: 1_000 }, (_, number) => number * 100))
    await playback.seek(0)
    const parts = await Promise.all([20_000, 30_000, 40_000].map((ms) => playback.prepare(ms)))
    expect(parts.map((part) => part && part.fromMs <= 40_000 && part.toMs > 40_000)).toEqual([
      true,
      undefined,
      undefined,
    ])
    asked.length = 0
    await playback.seek(40_000)
    expect(screen()).toBe(shown(40_000))
    expect(asked).toEqual([])
  })

  it('reports why playback stopped, and resumes when the source recovers', async () => {
    let broken = true
    const { source } = recording([0, 100])
    const at = source.at.bind(source)
    const failing = { ...source, at: (ms: number) => (broken ? Promise.reject(new Error('away')) : at(ms)) }
    const stage = { begin() {}, write() {}, resize() {}, settled: () => Promise.resolve(), backlog: 0 }
    const playback = createPlayback({ source: failing, stage, now: () => 0, frame: () => () => {} })
    await playback.seek(50)
    expect(playback.state.get()).toMatchObject({ waiting: false, playing: false, error: new Error('away') })
    broken = false
    await playback.seek(50)
    expect(playback.state.get()).toMatchObject({ waiting: false, atMs: 50, error: undefined })
  })
})

describe('following a recording that grows', () => {
  const event = (atMs: number): CastEvent => ({ atMs, code: 'o', data: `${atMs};` })
  const growing = (events: CastEvent[]): Source => {
    const part = { fromMs: 0, toMs: Infinity, columns: 80, rows: 24, hasTerminal: true, events, seenMs: -1 }
    return {
      get endMs() {
        return events.at(-1)?.atMs ?? 0
      },
      growing: true,
      at: () => Promise.resolve(part),
      after: () => undefined,
      ready: () => undefined,
      close: () => {},
    }
  }

  async function following(events: CastEvent[]) {
    let screen = ''
    let nowMs = 0
    let due: (() => void) | undefined
    const settled = () => Promise.resolve()
    const stage = { begin: () => {}, write: (text: string) => (screen += text), resize: () => {}, settled, backlog: 0 }
    const frame = (work: () => void) => {
      due = work
      return () => (due = undefined)
    }
    const playback = createPlayback({ source: growing(events), stage, now: () => nowMs, frame })
    await playback.seek(Number.MAX_SAFE_INTEGER)
    playback.play()
    const tick = () => {
      nowMs += 16
      due?.()
    }
    tick()
    return { playback, tick, screen: () => screen }
  }

  it('shows what comes after a silence at once, with idle times skipped or not', async () => {
    for (const skips of [true, false]) {
      const events = [event(100)]
      const { playback, tick, screen } = await following(events)
      playback.setSkipsIdle(skips)
      events.push(event(9_000), event(9_200))
      playback.grown()
      tick()
      expect(screen()).toBe('100;9000;')
    }
  })

  it('is never further behind than a second, and stays where it was paused', async () => {
    const events = [event(100)]
    const { playback, tick, screen } = await following(events)
    events.push(event(9_000), event(60_000))
    playback.grown()
    tick()
    expect([screen(), playback.state.get().atMs]).toEqual(['100;9000;', 59_000])

    const paused = await following([event(100)])
    paused.playback.pause()
    paused.playback.grown()
    expect(paused.playback.state.get().atMs).toBe(100)
  })
})
