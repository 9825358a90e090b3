// Keeps `GET /api/events` open: reconnects with full jitter, resumes with `Last-Event-ID`, gives up on silence. It only
// delivers; what an event means for the lists is in apply-events.ts.
import { Backoff } from '@bowline/base/backoff'
import { LiveEvent } from '@bowline/contract/schemas/event'
import { createStore, type Store } from '../platform/store.ts'
import { createEventStreamParser } from './event-stream.ts'

export type LiveState = 'stopped' | 'connecting' | 'live' | 'reconnecting'

export interface LiveParts {
  /** Opens the stream. Rejects when the server cannot be reached or refuses. */
  readonly open: (lastEventId: string, signal: AbortSignal) => Promise<Response>
  /** Runs `work` after `delayMs`. @returns the function that takes it back */
  readonly later: (work: () => void, delayMs: number) => () => void
  /** 0 ≤ x < 1 */
  readonly random: () => number
  readonly onEvent: (event: LiveEvent) => void
  /** The stream is open. `resumed`: the server was told the last event seen and sends what followed. */
  readonly onOpen: (resumed: boolean) => void
}

export interface LiveConnection {
  readonly state: Store<LiveState>
  start(): void
  /** Ends the stream and forgets the last event, so that another person starts anew. */
  stop(): void
  /** Tries at once instead of waiting: the browser is online again, or somebody looks at the page again. */
  hurry(): void
}

/** How long a lost stream waits before it connects again. */
const RETRY = { baseMs: 1_000, capMs: 30_000 }
/** A stream that lived this long was sound: its end (the token's, usually) is followed by a short pause. */
const SOUND_MS = 5_000
/** The server sends a comment every 15 s; three of them missing means that the connection is dead. */
const SILENCE_MS = 45_000

export function createLiveConnection(parts: LiveParts): LiveConnection {
  const state = createStore<LiveState>('stopped')
  let lastEventId = ''
  const backoff = new Backoff({ ...RETRY, random: () => parts.random() })
  let running: AbortController | undefined
  let cancelRetry = () => {}

  async function connect() {
    const controller = new AbortController()
    running = controller
    let cancelSound = () => {}
    const cancelPatience = parts.later(() => controller.abort(), SILENCE_MS)
    try {
      const response = await parts.open(lastEventId, controller.signal)
      cancelPatience()
      if (!response.body) throw new TypeError('The live stream has no body.')
      if (controller.signal.aborted) return
      state.set('live')
      parts.onOpen(lastEventId !== '')
      cancelSound = parts.later(() => backoff.reset(), SOUND_MS)
      await read(response.body, controller)
    } catch {
      // Whatever it was, the answer is to connect again; calls that people see report the cause.
    }
    cancelPatience()
    cancelSound()
    if (running !== controller) return
    running = undefined
    if (state.get() === 'stopped') return
    state.set('reconnecting')
    cancelRetry = parts.later(() => void connect(), backoff.next())
  }

  /** Reads until the stream ends, breaks or falls silent. */
  async function read(body: ReadableStream<Uint8Array>, controller: AbortController): Promise<void> {
    const parser = createEventStreamParser()
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
    const giveUp = () => controller.abort()
    let cancelSilence = parts.later(giveUp, SILENCE_MS)
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || controller.signal.aborted) return
        cancelSilence()
        cancelSilence = parts.later(giveUp, SILENCE_MS)
        for (const event of parser.push(value)) {
          if (event.id !== '') lastEventId = event.id
          deliver(event.data)
        }
      }
    } finally {
      cancelSilence()
      controller.abort()
    }
  }

  function deliver(data: string) {
    let json: unknown
    try {
      json = JSON.parse(data)
    } catch {
      return
    }
    // A newer server may send events this console does not know yet.
    const parsed = LiveEvent.safeParse(json)
    if (parsed.success) parts.onEvent(parsed.data)
  }

  return {
    state,
    start() {
      if (state.get() !== 'stopped') return
      backoff.reset()
      state.set('connecting')
      void connect()
    },
    stop() {
      state.set('stopped')
      cancelRetry()
      lastEventId = ''
      const controller = running
      running = undefined
      controller?.abort()
    },
    hurry() {
      if (state.get() !== 'reconnecting' || running) return
      cancelRetry()
      void connect()
    },
  }
}
