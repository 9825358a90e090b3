// Reads answers that are asciicasts, line by line, into events.
import type { CastEvent, CastHeader } from '@bowline/asciicast/cast'
import { createCastReader } from '@bowline/asciicast/read'

/** What has been read of a recording. */
export interface CastPage {
  readonly header: CastHeader | undefined
  readonly events: readonly CastEvent[]
}

/**
 * Reads an answer to its end.
 * @param mostBytes of the answer, so that no recording fills this computer's memory
 * @throws {CastError} when it is no asciicast; RangeError when it is longer
 */
export async function readCast(response: Response, mostBytes: number): Promise<CastPage> {
  const reader = createCastReader()
  const events: CastEvent[] = []
  for await (const line of wholeLines(response, mostBytes)) {
    const event = reader.next(line)
    if (event) events.push(event)
  }
  return { header: reader.header, events }
}

/** Lines of an answer; a last one without an end is left out: it is being written, or was cut off. */
export async function* wholeLines(response: Response, mostBytes: number): AsyncGenerator<string> {
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
      if (bytes > mostBytes) throw new RangeError(`more than ${mostBytes} bytes`)
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    await pieces.cancel().catch(() => undefined)
  }
}
