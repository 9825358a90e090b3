// Playback engine: a clock that runs at a chosen speed and writes the events it passes to a screen. Independent of
// servers and pages.
import { createStore, type Store } from '../../../platform/store.ts'
import { overIdle } from './idle.ts'
import type { Part, Source } from './source.ts'

export const SPEEDS = [0.25, 0.5, 1, 1.5, 2, 4, 8, 16] as const

export interface PlaybackState {
  /** Milliseconds since the start, like `endMs`. */
  readonly atMs: number
  readonly endMs: number
  readonly playing: boolean
  /** Waiting for data. */
  readonly waiting: boolean
  readonly speed: number
  readonly skipsIdle: boolean
  /** Why playback stopped. */
  readonly error: unknown
}

/** Output sink. */
export interface Stage {
  /** Clears the screen. */
  begin(terminal: Pick<Part, 'columns' | 'rows' | 'hasTerminal'>): void
  write(text: string): void
  resize(columns: number, rows: number): void
  /** Resolves when all output so far is rendered. */
  settled(): Promise<void>
  /** Characters not yet rendered. */
  readonly backlog: number
}

export interface PlaybackParts {
  readonly source: Source
  readonly stage: Stage
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** Calls back before the next animation frame. @returns cancel */
  readonly frame: (work: () => void) => () => void
}

export interface Playback {
  readonly state: Store<PlaybackState>
  readonly play: () => void
  readonly pause: () => void
  /** Seeks. Resolves when the moment is shown, or when another seek supersedes it. */
  seek(ms: number): Promise<void>
  /**
   * Prefetches a moment that may be sought soon.
   * @returns the part with the latest of the moments that were asked for meanwhile; undefined when an earlier call
   *   returns that, or it cannot be read
   */
  prepare(ms: number): Promise<Part | undefined>
  /** To the next event, or to the previous one. */
  step(direction: 1 | -1): Promise<void>
  setSpeed(speed: number): void
  setSkipsIdle(skips: boolean): void
  /** Continues with another source of the same recording. */
  use(source: Source): void
  /** The source has more events. */
  grown(): void
  close(): void
}

/** State updates are throttled: the page need not know the time every frame. */
const PUBLISH_INTERVAL_MS = 100
/** Longest clock step per frame, so that a hidden page does not jump ahead. */
const MAX_FRAME_MS = 250
/** Backpressure: the clock waits while the screen lags by more than this. */
const MAX_BACKLOG = 1_000_000

/** Furthest that a viewer at the live end falls behind it when new output arrives, in milliseconds. */
const LIVE_MS = 1_000

export function createPlayback({ source: first, stage, now, frame }: PlaybackParts): Playback {
  let source = first
  let part: Part | undefined
  /** Index of the next event in the part. */
  let next = 0
  /** Time that the screen shows; -1 before the first. */
  let shownMs = -1
  let atMs = 0
  let lastFrame = 0
  let publishedAt = 0
  let currentSeek = 0
  /** All there is of a growing source has been shown. */
  let isAtEnd = false
  /** The seek that is waiting for data. */
  let reading: Promise<unknown> | undefined
  /** The last moment pointed at, while an earlier one is still loading. */
  let pointedAt: number | undefined
  let cancelFrame = () => {}
  const initial = { atMs: 0, endMs: source.endMs, playing: false, waiting: false, speed: 1, skipsIdle: true }
  const state = createStore<PlaybackState>({ ...initial, error: undefined })

  function publish(change: Partial<PlaybackState> = {}): void {
    publishedAt = now()
    state.set({ ...state.get(), atMs: Math.min(atMs, source.endMs), endMs: source.endMs, ...change })
  }

  /** Writes the events up to a time within the part. */
  function show(toMs: number): void {
    if (!part) return
    shownMs = toMs
    let text = ''
    for (let event = part.events[next]; event && event.atMs <= toMs; event = part.events[next]) {
      next += 1
      if (event.code === 'o') text += event.data
      if (event.code !== 'r') continue
      if (text !== '') stage.write(text)
      text = ''
      const [columns = 0, rows = 0] = event.data.split('x').map(Number)
      stage.resize(columns, rows)
    }
    if (text !== '') stage.write(text)
  }

  function enter(entered: Part, seenMs: number): void {
    part = entered
    next = entered.events.findIndex((event) => event.atMs > seenMs)
    if (next < 0) next = entered.events.length
  }

  function run(): void {
    cancelFrame()
    lastFrame = now()
    cancelFrame = frame(tick)
  }

  function tick(): void {
    const { playing, waiting, speed } = state.get()
    if (!playing || waiting || !part) return
    const time = now()
    const elapsed = Math.min(time - lastFrame, MAX_FRAME_MS)
    lastFrame = time
    if (stage.backlog < MAX_BACKLOG) advance(atMs + elapsed * speed)
    if (time - publishedAt >= PUBLISH_INTERVAL_MS) publish()
    if (state.get().playing) cancelFrame = frame(tick)
  }

  /** Plays up to a time, or to the first missing part. */
  function advance(wanted: number): void {
    let target = wanted
    while (part) {
      const isLast = part.toMs === Infinity && !source.growing
      const nextMs = part.events[next]?.atMs ?? (isLast ? source.endMs : undefined)
      if (nextMs !== undefined && state.get().skipsIdle) {
        target = overIdle(target, part.events[next - 1]?.atMs ?? part.fromMs, nextMs)
      }
      if (target < part.toMs) break
      show(part.toMs)
      atMs = part.toMs
      const ready = source.ready(part)
      if (ready) enter(ready, ready.seenMs)
      else return void loadNext(part)
    }
    const endMs = source.endMs
    show(Math.min(target, endMs))
    atMs = Math.min(target, endMs)
    isAtEnd = atMs >= endMs && source.growing
    if (atMs >= endMs && !source.growing) publish({ playing: false })
  }

  /** Loads the part after another. */
  async function loadNext(from: Part): Promise<void> {
    const mine = currentSeek
    const following = source.after(from)
    if (!following) return publish({ playing: false })
    publish({ waiting: true })
    try {
      const loaded = await following
      if (mine !== currentSeek) return
      enter(loaded, loaded.seenMs)
      publish({ waiting: false })
      run()
    } catch (error) {
      if (mine === currentSeek) publish({ waiting: false, playing: false, error })
    }
  }

  async function seek(ms: number): Promise<void> {
    currentSeek += 1
    isAtEnd = false
    const mine = currentSeek
    const from = source
    const goal = Math.max(0, Math.min(ms, from.endMs || ms))
    const isAhead = part && goal >= shownMs && goal >= part.fromMs && goal < part.toMs
    atMs = goal
    publish({ waiting: true, error: undefined })
    try {
      if (!isAhead) {
        // Dragging passes many moments, and only the last one counts: those between are never requested.
        await reading
        if (mine !== currentSeek) return
        const loaded = await read(from, goal)
        if (mine !== currentSeek) return
        stage.begin(loaded)
        enter(loaded, -1)
        atMs = Math.min(goal, from.endMs)
      }
      show(atMs)
      await stage.settled()
      if (mine !== currentSeek) return
      publish({ waiting: false })
      if (part && state.get().playing) {
        from.ready(part)
        run()
      }
    } catch (error) {
      if (mine === currentSeek) publish({ waiting: false, playing: false, error })
    }
  }

  function read(from: Source, ms: number): Promise<Part> {
    const loading = from.at(ms)
    const settled = loading.then(
      () => undefined,
      () => undefined,
    )
    reading = settled
    void settled.then(() => reading === settled && (reading = undefined))
    return loading
  }

  async function prepare(ms: number): Promise<Part | undefined> {
    const isBusy = pointedAt !== undefined
    pointedAt = ms
    if (isBusy) return undefined
    let found: Part | undefined
    for (let done: number | undefined; done !== pointedAt;) {
      done = pointedAt
      // A seek will report the problem.
      found = await source.at(done).catch(() => undefined)
    }
    pointedAt = undefined
    return found
  }

  function play(): void {
    if (state.get().playing) return
    const again = atMs >= source.endMs && !source.growing
    publish({ playing: true })
    if (again || !part) return void seek(again ? 0 : atMs)
    source.ready(part)
    run()
  }

  async function step(direction: 1 | -1): Promise<void> {
    publish({ playing: false })
    if (!part) return
    if (direction === 1) {
      const upcoming = part.events[next] ?? (await source.after(part))?.events.find((event) => event.atMs > atMs)
      return upcoming ? seek(upcoming.atMs) : undefined
    }
    for (let within: Part | undefined = part; within;) {
      const { seenMs, fromMs, events }: Part = within
      const before = events.findLast((event) => event.atMs < atMs && event.atMs > seenMs)
      if (before) return seek(before.atMs)
      within = fromMs > 0 ? await source.at(fromMs - 1) : undefined
    }
    return seek(0)
  }

  return {
    state,
    play,
    pause: () => publish({ playing: false }),
    seek,
    prepare,
    step,
    setSpeed: (speed) => publish({ speed }),
    setSkipsIdle: (skipsIdle) => publish({ skipsIdle }),
    use(other) {
      source.close()
      source = other
      part = undefined
      void seek(atMs)
    },
    grown() {
      const upcoming = part?.events[next]
      // The silence before it was spent waiting for it: playing it as well would come that much too late.
      const { playing, waiting } = state.get()
      const isFollowing = isAtEnd && playing && !waiting
      isAtEnd = false
      // Before the state says so: the text of the screen is read then.
      if (isFollowing && upcoming) advance(Math.max(atMs, upcoming.atMs, source.endMs - LIVE_MS))
      publish()
    },
    close() {
      currentSeek += 1
      cancelFrame()
      source.close()
    },
  }
}
