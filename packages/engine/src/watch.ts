// The stream of an engine's events. A flood is paced: what the engine sends too fast waits in its own buffers.
import type { IncomingMessage } from 'node:http'
import type { Clock } from '@bowline/base/clock'
import { parseBounded } from './bounded-json.ts'
import { EngineError, asEngineError } from './errors.ts'
import { Lines } from './lines.ts'

export interface Watch {
  /** Ends the stream; `ended` is not called then. */
  close(): void
}

/** Longest event, in bytes: it carries the labels of a container. */
const LINE_BYTES = 262_144
/** Values of one event. */
const EVENT_VALUES = 5_000
/** After so many events or bytes in a window the stream rests for the remainder of the window. */
const BURST = { events: 500, bytes: 1_048_576 }
const WINDOW_MS = 1_000

/**
 * Reads events.
 * @param event receives each line's object
 * @param ended called once when the stream ends, unless it was closed
 */
export function watchEvents(
  response: IncomingMessage,
  clock: Clock,
  event: (value: unknown) => void,
  ended: (error: EngineError) => void,
): Watch {
  const lines = new Lines(LINE_BYTES)
  let open = true
  let events = 0
  let bytes = 0
  let resume = (): void => undefined
  let windowEnd = clock.monotonic() + WINDOW_MS
  const end = (error: EngineError): void => {
    if (!open) return
    open = false
    resume()
    response.destroy()
    ended(error)
  }
  function pace(): void {
    const now = clock.monotonic()
    if (now >= windowEnd) {
      windowEnd = now + WINDOW_MS
      events = 0
      bytes = 0
    } else if (events >= BURST.events || bytes >= BURST.bytes) {
      response.pause()
      resume = clock.after(windowEnd - now, () => response.resume())
    }
  }
  response.on('data', (chunk: Buffer) => {
    if (!open) return
    bytes += chunk.length
    try {
      for (const line of lines.push(chunk)) {
        events += 1
        if (line.trim() !== '') event(parseBounded(line, EVENT_VALUES))
      }
      pace()
    } catch (error) {
      end(error instanceof EngineError ? error : new EngineError('an event of the engine is malformed'))
    }
  })
  response.on('error', (error) => end(asEngineError(error)))
  response.on('close', () => end(new EngineError('the engine ended the stream of events')))
  return {
    close() {
      open = false
      resume()
      response.destroy()
    },
  }
}
