// Keeps `GET /api/events` open: reconnects with full jitter, resumes with `Last-Event-ID`, times out on silence. It
// only delivers events; apply-events.ts interprets them.
import { Backoff } from '@bowline/base/backoff'
import { LiveEvent } from '@bowline/contract/schemas/event'
import { createStore, type Store } from '../platform/store.ts'
import { createEventStreamParser } from './event-stream.ts'

export type LiveState = 'stopped' | 'connecting' | 'live' | 'reconnecting'

export interface LiveParts {
  /** Opens the stream. Rejects when the server cannot be reached or refuses. */
  readonly open: (lastEventId: string, signal: AbortSignal) => Promise<Response>
  /** Runs `work` after `delayMs`. @returns cancel */
  readonly later: (work: () => void, delayMs: number) => () => void
  /** 0 ≤ x < 1 */
  readonly random: () => number
  readonly onEvent: (event: LiveEvent) => void
  /** The stream is open. `resumed`: the server got the last event id and sends everything after it. */
  readonly onOpen: (resumed: boolean) => void
}

export interface LiveConnection {
  readonly state: Store<LiveState>
  start(): void
  /** Closes the stream and forgets the last event id, so that the next person starts fresh. */
  stop(): void
  /** Closes the stream until `reconnectNow`, which resumes it: nobody looks at the page. */
  rest(): void
  /** The network is gone, which a stream does not notice by itself: reconnects with pauses. */
  lost(): void
  /** Reconnects now instead of waiting: the browser is online again, or the page became visible. */
  reconnectNow(): void
}

/** Reconnect delay after a lost stream. */
const RETRY = { baseMs: 1_000, capMs: 30_000 }
/** A stream that lasted this long was healthy: its end (usually the token expired) is followed by a short delay. */
const HEALTHY_AFTER_MS = 5_000
/** Events that are checked and delivered before the browser may do something else. */
const SLICE = 20
/** The server sends a comment every 15 s; after three missing ones the connection is considered dead. */
const SILENCE_TIMEOUT_MS = 45_000

export function createLiveConnection(parts: LiveParts): LiveConnection {
  const state = createStore<LiveState>('stopped')
  let lastEventId = ''
  const backoff = new Backoff({ ...RETRY, random: () => parts.random() })
  let running: AbortController | undefined
  let cancelRetry = () => {}

  async function connect() {
    const controller = new AbortController()
    running = controller
    let cancelHealthyTimer = () => {}
    const cancelOpenTimeout = parts.later(() => controller.abort(), SILENCE_TIMEOUT_MS)
    try {
      const response = await parts.open(lastEventId, controller.signal)
      cancelOpenTimeout()
      if (!response.body) throw new TypeError('The live stream has no body.')
      if (controller.signal.aborted) return
      state.set('live')
      parts.onOpen(lastEventId !== '')
      cancelHealthyTimer = parts.later(() => backoff.reset(), HEALTHY_AFTER_MS)
      await read(response.body, controller)
    } catch {
      // Reconnect whatever the cause; calls that people see report it.
    }
    cancelOpenTimeout()
    cancelHealthyTimer()
    if (running !== controller) return
    running = undefined
    if (state.get() === 'stopped') return
    state.set('reconnecting')
    cancelRetry = parts.later(() => void connect(), backoff.next())
  }

  /** Reads until the stream ends, breaks or times out. */
  async function read(body: ReadableStream<Uint8Array>, controller: AbortController): Promise<void> {
    const parser = createEventStreamParser()
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
    const abort = () => controller.abort()
    let cancelSilenceTimeout = parts.later(abort, SILENCE_TIMEOUT_MS)
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || controller.signal.aborted) return
        cancelSilenceTimeout()
        cancelSilenceTimeout = parts.later(abort, SILENCE_TIMEOUT_MS)
        let taken = 0
        for (const event of parser.push(value)) {
          // What has arrived is read without a pause otherwise, however much it is: the page must answer in between.
          if (taken === SLICE) await new Promise<void>((resolve) => void parts.later(resolve, 0))
          if (controller.signal.aborted) return
          taken = taken === SLICE ? 1 : taken + 1
          if (event.id !== '') lastEventId = event.id
          deliver(event.data)
        }
      }
    } finally {
      cancelSilenceTimeout()
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
    // A newer server may send events that this console does not know.
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
    rest() {
      if (state.get() === 'stopped') return
      cancelRetry()
      const controller = running
      running = undefined
      controller?.abort()
      state.set('connecting')
    },
    lost() {
      const controller = running
      if (!controller || state.get() === 'stopped') return
      running = undefined
      controller.abort()
      state.set('reconnecting')
      cancelRetry = parts.later(() => void connect(), backoff.next())
    },
    reconnectNow() {
      if (state.get() === 'stopped' || running) return
      cancelRetry()
      void connect()
    },
  }
}
