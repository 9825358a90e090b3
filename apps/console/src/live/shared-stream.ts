// One live stream for all pages of a browser: the page that holds it relays it to the others. Without HTTP/2 a browser opens six
// connections to a server in all: as many pages with a stream each would leave none for calls, and the next page would never load.
import type { LiveEvent } from '@bowline/contract/schemas/event'

export interface SharedStreamParts {
  /** The browser's locks; undefined outside a secure context, where each page opens a stream of its own. */
  readonly locks: Pick<LockManager, 'request'> | undefined
  /** Opens the stream of the server. */
  readonly open: (lastEventId: string, signal: AbortSignal) => Promise<Response>
  /** Runs `work` after `delayMs`. @returns cancel */
  readonly later: (work: () => void, delayMs: number) => () => void
}

/** Between the pages, on a channel of those that get the same events. */
type Message =
  /** A page asks whether another one has the stream. */
  | { readonly type: 'hello' }
  /** The stream is open; `id` of its last event. */
  | { readonly type: 'open'; readonly id: string }
  /** Whole events. */
  | { readonly type: 'events'; readonly text: string; readonly id: string }
  /** The page has no stream any more: another one is to open it. */
  | { readonly type: 'closed' }

/** For the page that holds the stream to answer, or to open it. */
const ANSWER_MS = 2_000
/** Something was missed: everything is to be fetched again. */
const RESET = `data: ${JSON.stringify({ type: 'reset' } satisfies LiveEvent)}\n\n`

/**
 * @param name of the events: pages with the same one share a stream
 * @param lastEventId the last one that this page has had, '' for none
 * @param signal ends it; always aborted when the page has read the stream to its end
 * @returns a `text/event-stream`, from the server or from another page, with nothing missing after the last event but a `reset`
 * @throws Error when another page holds the stream but has not opened it
 */
export type OpenSharedStream = (name: string, lastEventId: string, signal: AbortSignal) => Promise<Response>

export function createSharedStream({ locks, open, later }: SharedStreamParts): OpenSharedStream {
  return async (name, lastEventId, signal) => {
    if (!locks) return open(lastEventId, signal)
    const release = await takeLock(locks, name)
    const channel = new BroadcastChannel(name)
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      if (release) channel.postMessage({ type: 'closed' } satisfies Message)
      channel.close()
      release?.()
    }
    signal.addEventListener('abort', end)
    try {
      signal.throwIfAborted()
      if (!release) return await follow({ channel, lastEventId, signal, later })
      return lead(channel, await open(lastEventId, signal), lastEventId)
    } catch (error) {
      end()
      throw error
    }
  }
}

/** Passes the stream on and relays it in whole events, so that a page can begin to follow between two of them. */
function lead(channel: BroadcastChannel, response: Response, lastEventId: string): Response {
  let id = lastEventId
  let rest = ''
  const decoder = new TextDecoder()
  const send = (message: Message) => channel.postMessage(message)
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'hello') send({ type: 'open', id })
  })
  send({ type: 'open', id })
  const relay = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      rest += decoder.decode(bytes, { stream: true })
      const end = rest.lastIndexOf('\n\n') + 2
      if (end >= 2) {
        const text = rest.slice(0, end)
        rest = rest.slice(end)
        id = [...text.matchAll(/^id: ?(.*)$/gm)].at(-1)?.[1] ?? id
        send({ type: 'events', text, id })
      }
      controller.enqueue(bytes)
    },
  })
  return new Response(response.body?.pipeThrough(relay), response)
}

interface Following extends Pick<SharedStreamParts, 'later'> {
  readonly channel: BroadcastChannel
  readonly lastEventId: string
  readonly signal: AbortSignal
}

function follow({ channel, lastEventId, signal, later }: Following): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const { readable, writable } = new TransformStream<string, string>()
  const writer = writable.getWriter()
  const write = (text: string) => void writer.write(text).catch(() => undefined)
  const fail = (cause: Error) => {
    cancelTimeout()
    reject(cause)
    void writer.abort(cause).catch(() => undefined)
  }
  const cancelTimeout = later(() => fail(new Error('The page with the live stream does not answer.')), ANSWER_MS)
  signal.addEventListener('abort', () => fail(new Error('The live stream was given up.')))
  let isFollowing = false
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'open' && !isFollowing) {
      isFollowing = true
      cancelTimeout()
      if (lastEventId !== '' && data.id !== lastEventId) write(RESET)
      resolve(new Response(readable.pipeThrough(new TextEncoderStream())))
    } else if (data.type === 'events' && isFollowing) write(data.text)
    else if (data.type === 'closed') fail(new Error('The page with the live stream has closed it.'))
  })
  channel.postMessage({ type: 'hello' } satisfies Message)
  return promise
}

/** @returns release; undefined while another page has it */
function takeLock(locks: Pick<LockManager, 'request'>, name: string): Promise<(() => void) | undefined> {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: taken, resolve: answer } = Promise.withResolvers<(() => void) | undefined>()
  locks
    .request(name, { ifAvailable: true }, (lock) => {
      answer(lock ? release : undefined)
      return lock ? held : undefined
    })
    // The page is going away.
    .catch(() => answer(undefined))
  return taken
}
