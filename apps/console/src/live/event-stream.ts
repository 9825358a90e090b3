// Parser of `text/event-stream` (WHATWG HTML, section 9.2.6), incremental and bounded: bytes may be cut anywhere.

export interface StreamEvent {
  /** Last `id` seen so far on the stream; '' when there was none. */
  readonly id: string
  /** The `data` lines, joined by newlines. */
  readonly data: string
}

/** Longest unfinished event; a longer one is not from our server. */
const MAX_EVENT_CHARS = 1_048_576

/** The stream sent an event longer than the limit. */
export class EventTooLongError extends Error {
  constructor() {
    super(`An event of the live stream is longer than ${MAX_EVENT_CHARS} characters.`)
    this.name = 'EventTooLongError'
  }
}

export interface EventStreamParser {
  /**
   * Parses the next chunk of text.
   * @returns the events that it completed
   * @throws {EventTooLongError}
   */
  push(text: string): StreamEvent[]
}

export function createEventStreamParser(): EventStreamParser {
  let rest = ''
  let data: string[] = []
  let size = 0
  let id = ''
  let afterReturn = false

  function line(text: string, events: StreamEvent[]) {
    if (text === '') {
      if (data.length) events.push({ id, data: data.join('\n') })
      data = []
      size = 0
      return
    }
    const colon = text.indexOf(':')
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') {
      data.push(value)
      size += value.length
    } else if (field === 'id' && !value.includes('\0')) id = value
  }

  return {
    push(text) {
      const events: StreamEvent[] = []
      // A CR LF may be split across two chunks.
      rest += afterReturn && text.startsWith('\n') ? text.slice(1) : text
      if (text !== '') afterReturn = text.endsWith('\r')
      let start = 0
      for (const match of rest.matchAll(/\r\n|\n|\r/g)) {
        line(rest.slice(start, match.index), events)
        start = match.index + match[0].length
      }
      rest = rest.slice(start)
      if (rest.length + size > MAX_EVENT_CHARS) throw new EventTooLongError()
      return events
    },
  }
}
