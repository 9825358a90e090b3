// Plays a recording: a clock that runs at some speed, and the events that it passes on their way to a screen. It knows
// neither servers nor pages.
import { createStore, type Store } from '../../../platform/store.ts'
import { overIdle } from './idle.ts'
import type { Part, Source } from './source.ts'

export const SPEEDS = [0.25, 0.5, 1, 1.5, 2, 4, 8, 16] as const

export interface PlaybackState {
  /** Milliseconds since the start, as the next. */
  readonly atMs: number
  readonly endMs: number
  readonly playing: boolean
  /** For something to be read. */
  readonly waiting: boolean
  readonly speed: number
  readonly skipsIdle: boolean
  /** Why it has stopped. */
  readonly error: unknown
}

/** Where output goes. */
export interface Stage {
  /** Empties it. */
  begin(columns: number, rows: number): void
  write(text: string): void
  resize(columns: number, rows: number): void
  /** Resolves when everything so far can be seen. */
  settled(): Promise<void>
  /** Characters that it has not worked off. */
  readonly backlog: number
}

export interface PlaybackParts {
  readonly source: Source
  readonly stage: Stage
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
  /** Calls back before the next picture is drawn, unless the answer is called before. */
  readonly frame: (work: () => void) => () => void
}

export interface Playback {
  readonly state: Store<PlaybackState>
  readonly play: () => void
  readonly pause: () => void
  /** Shows a moment. Resolves when it can be seen, or when another one is wanted instead. */
  seek(ms: number): Promise<void>
  /** A moment may be sought soon: what it needs is read already. */
  prepare(ms: number): void
  /** To the next event, or the one before. */
  step(direction: 1 | -1): Promise<void>
  setSpeed(speed: number): void
  setSkipsIdle(skips: boolean): void
  /** Goes on with another source of the same recording. */
  use(source: Source): void
  /** The source has more. */
  grown(): void
  close(): void
}

/** The page need not be told every picture what time it is. */
const TELL_MS = 100
/** A page that was not drawn for a while does not leap. */
const LONGEST_FRAME_MS = 250
/** The clock waits for a screen that is so far behind. */
const MOST_BACKLOG = 1_000_000

export function createPlayback({ source: first, stage, now, frame }: PlaybackParts): Playback {
  let source = first
  let part: Part | undefined
  /** The next event of the part. */
  let next = 0
  /** What is on the screen is what was to be seen then. */
  let shownMs = -1
  let atMs = 0
  let lastFrame = 0
  let told = 0
  let wish = 0
  /** What a seek waits for. */
  let reading: Promise<unknown> | undefined
  /** The moment that was pointed at last, while an earlier one is still read. */
  let near: number | undefined
  let cancelFrame = () => {}
  const initial = { atMs: 0, endMs: source.endMs, playing: false, waiting: false, speed: 1, skipsIdle: true }
  const state = createStore<PlaybackState>({ ...initial, error: undefined })

  function tell(change: Partial<PlaybackState> = {}): void {
    told = now()
    state.set({ ...state.get(), atMs: Math.min(atMs, source.endMs), endMs: source.endMs, ...change })
  }

  /** Shows what happens up to a time within the part. */
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
    const elapsed = Math.min(time - lastFrame, LONGEST_FRAME_MS)
    lastFrame = time
    if (stage.backlog < MOST_BACKLOG) advance(atMs + elapsed * speed)
    if (time - told >= TELL_MS) tell()
    if (state.get().playing) cancelFrame = frame(tick)
  }

  /** Plays up to a time, or to where something is missing. */
  function advance(wanted: number): void {
    let target = wanted
    while (part) {
      const upcoming = part.events[next]
      if (upcoming && state.get().skipsIdle) {
        target = overIdle(target, part.events[next - 1]?.atMs ?? part.fromMs, upcoming.atMs)
      }
      if (target < part.toMs) break
      show(part.toMs)
      atMs = part.toMs
      const ready = source.ready(part)
      if (ready) enter(ready, ready.seenMs)
      else return void goOn(part)
    }
    const endMs = source.endMs
    show(Math.min(target, endMs))
    atMs = Math.min(target, endMs)
    if (atMs >= endMs && !source.growing) tell({ playing: false })
  }

  /** Waits for the part behind one. */
  async function goOn(from: Part): Promise<void> {
    const mine = wish
    const following = source.after(from)
    if (!following) return tell({ playing: false })
    tell({ waiting: true })
    try {
      const loaded = await following
      if (mine !== wish) return
      enter(loaded, loaded.seenMs)
      tell({ waiting: false })
      run()
    } catch (error) {
      if (mine === wish) tell({ waiting: false, playing: false, error })
    }
  }

  async function seek(ms: number): Promise<void> {
    wish += 1
    const mine = wish
    const from = source
    const goal = Math.max(0, Math.min(ms, from.endMs || ms))
    const isAhead = part && goal >= shownMs && goal >= part.fromMs && goal < part.toMs
    atMs = goal
    tell({ waiting: true, error: undefined })
    try {
      if (!isAhead) {
        // Whoever drags passes many moments and wants the last one: those between are never asked for.
        await reading
        if (mine !== wish) return
        const loaded = await read(from, goal)
        if (mine !== wish) return
        stage.begin(loaded.columns, loaded.rows)
        enter(loaded, -1)
        atMs = Math.min(goal, from.endMs)
      }
      show(atMs)
      await stage.settled()
      if (mine !== wish) return
      tell({ waiting: false })
      if (part && state.get().playing) {
        from.ready(part)
        run()
      }
    } catch (error) {
      if (mine === wish) tell({ waiting: false, playing: false, error })
    }
  }

  function read(from: Source, ms: number): Promise<Part> {
    const loading = from.at(ms)
    const over = loading.then(
      () => undefined,
      () => undefined,
    )
    reading = over
    void over.then(() => reading === over && (reading = undefined))
    return loading
  }

  async function prepare(ms: number): Promise<void> {
    const isBusy = near !== undefined
    near = ms
    if (isBusy) return
    for (let done: number | undefined; done !== near;) {
      done = near
      // A seek will tell what is wrong.
      await source.at(done).catch(() => undefined)
    }
    near = undefined
  }

  function play(): void {
    if (state.get().playing) return
    const again = atMs >= source.endMs && !source.growing
    tell({ playing: true })
    if (again || !part) return void seek(again ? 0 : atMs)
    source.ready(part)
    run()
  }

  async function step(direction: 1 | -1): Promise<void> {
    tell({ playing: false })
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
    pause: () => tell({ playing: false }),
    seek,
    prepare: (ms) => void prepare(ms),
    step,
    setSpeed: (speed) => tell({ speed }),
    setSkipsIdle: (skipsIdle) => tell({ skipsIdle }),
    use(other) {
      source.close()
      source = other
      part = undefined
      void seek(atMs)
    },
    grown: () => tell(),
    close() {
      wish += 1
      cancelFrame()
      source.close()
    },
  }
}
