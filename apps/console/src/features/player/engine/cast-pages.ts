// Parses asciicast responses line by line into events.
import type { CastEvent, CastHeader } from '@bowline/asciicast/cast'
import { createCastReader } from '@bowline/asciicast/read'

/** The part of a recording read so far. */
export interface CastPage {
  readonly header: CastHeader | undefined
  readonly events: readonly CastEvent[]
}

export interface EventReader {
  readonly header: CastHeader | undefined
  /** @returns undefined when the line has no event to show. @throws {CastError} when it is not of an asciicast */
  next(line: string): CastEvent | undefined
}

/** Reads lines in order. A window size that follows the same one, as earlier versions recorded, is left out. */
export function createEventReader(): EventReader {
  const reader = createCastReader()
  let size: string | undefined
  return {
    get header() {
      return reader.header
    },
    next(line) {
      const event = reader.next(line)
      if (event?.code !== 'r') return event
      if (event.data === size) return undefined
      size = event.data
      return event
    },
  }
}

/** The terminal that a recording was made on, where it begins. */
export function terminalOf(header: CastHeader | undefined) {
  const { columns, rows, term } = header ?? { columns: 80, rows: 24 }
  return { columns, rows, hasTerminal: header === undefined || term !== undefined }
}

/**
 * Reads a response to its end.
 * @param maxBytes response limit, so that no recording fills this computer's memory
 * @throws {CastError} when it is not an asciicast; RangeError when it exceeds the limit
 */
export async function readCast(response: Response, maxBytes: number): Promise<CastPage> {
  const reader = createEventReader()
  const events: CastEvent[] = []
  for await (const line of wholeLines(response, maxBytes)) {
    const event = reader.next(line)
    if (event) events.push(event)
  }
  return { header: reader.header, events }
}

/** Lines of a response; an unterminated last line is dropped: it is still being written or was cut off. */
export async function* wholeLines(response: Response, maxBytes: number): AsyncGenerator<string> {
  if (!response.body) return
  const pieces = response.body.getReader()
  const decoder = new TextDecoder()
  let bytes = 0
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await pieces.read()
      if (done) return
      bytes += value.length
      if (bytes > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`)
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    await pieces.cancel().catch(() => undefined)
  }
}
