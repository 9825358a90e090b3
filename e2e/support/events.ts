// Collects the live events of a namespace.
import { operations } from '@bowline/contract/operations'
import { LiveEvent } from '@bowline/contract/schemas/event'
import type { Client } from './server.ts'

export interface EventLog {
  readonly events: readonly LiveEvent[]
  stop(): void
}

/** Starts listening; resolves when the server has opened the stream. */
export async function listenToEvents(client: Client): Promise<EventLog> {
  const events: LiveEvent[] = []
  const stop = new AbortController()
  const response = await client.open(operations.events.stream, { signal: stop.signal })
  void collect(response, events).catch(() => undefined)
  return { events, stop: () => stop.abort() }
}

async function collect(response: Response, events: LiveEvent[]): Promise<void> {
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data !== undefined) events.push(LiveEvent.parse(JSON.parse(data)))
    }
  }
}
