// SSH_MSG_GLOBAL_REQUEST (RFC 4254 section 4): forwards, OpenSSH's extensions, and our own keepalives. Replies keep the
// order of the requests.
import type { ListenRequest } from '../api.ts'
import { WireReader } from '../wire/reader.ts'
import { MSG_REQUEST_FAILURE, MSG_REQUEST_SUCCESS } from '../wire/numbers.ts'
import { WireWriter } from '../wire/writer.ts'
import { ReplyQueue } from './reply-queue.ts'
import type { PendingRequests } from './reply-queue.ts'

const ADDRESS_BYTES = 4_096
const MAX_PORT = 65_535

export interface GlobalRequestEvents {
  /** Returns the bound port, or undefined to refuse. Must not reject. */
  listen(request: ListenRequest): Promise<number | undefined>
  unlisten(request: ListenRequest): Promise<boolean>
  noMoreSessions(): void
  /** The answer to hostkeys-prove-00@openssh.com, or undefined to refuse. */
  proveHostKeys(blobs: readonly Uint8Array[]): Uint8Array | undefined
  send(payload: Uint8Array): void
}

const SUCCESS = Uint8Array.of(MSG_REQUEST_SUCCESS)
const FAILURE = Uint8Array.of(MSG_REQUEST_FAILURE)

type Answer = Uint8Array | undefined

export class GlobalRequests {
  readonly #events: GlobalRequestEvents
  readonly #replies: ReplyQueue

  constructor(pending: PendingRequests, events: GlobalRequestEvents) {
    this.#events = events
    this.#replies = new ReplyQueue(pending, (payload) => events.send(payload))
  }

  /** Handles SSH_MSG_GLOBAL_REQUEST. */
  receive(payload: Buffer): void {
    const reader = new WireReader(payload, 1)
    const name = reader.text('request name', 256)
    const wantReply = reader.boolean('want reply')
    const answer = this.#answer(name, reader)
    if (!wantReply) return
    this.#replies.push(answer instanceof Promise ? answer.then((found) => found ?? FAILURE) : (answer ?? FAILURE))
  }

  /** Undefined: refused. */
  #answer(name: string, reader: WireReader): Answer | Promise<Answer> {
    switch (name) {
      case 'tcpip-forward':
      case 'streamlocal-forward@openssh.com':
        return this.#listen(readListen(name, reader))
      case 'cancel-tcpip-forward':
        return this.#unlisten(readListen('tcpip-forward', reader))
      case 'cancel-streamlocal-forward@openssh.com':
        return this.#unlisten(readListen('streamlocal-forward@openssh.com', reader))
      case 'no-more-sessions@openssh.com':
        this.#events.noMoreSessions()
        return SUCCESS
      case 'hostkeys-prove-00@openssh.com':
        return this.#events.proveHostKeys(readBlobs(reader))
      default:
        return undefined
    }
  }

  async #listen(request: ListenRequest | undefined): Promise<Answer> {
    if (!request) return undefined
    const port = await this.#events.listen(request)
    if (port === undefined) return undefined
    // RFC 4254 section 7.1: the port is only returned when the client asked for any.
    if (request.type !== 'tcpip-forward' || request.port !== 0) return SUCCESS
    return new WireWriter(8).byte(MSG_REQUEST_SUCCESS).uint32(port).done()
  }

  async #unlisten(request: ListenRequest | undefined): Promise<Answer> {
    return request && (await this.#events.unlisten(request)) ? SUCCESS : undefined
  }
}

/** Undefined when the port is out of range. */
function readListen(type: ListenRequest['type'], reader: WireReader): ListenRequest | undefined {
  const address = reader.text('bind address', ADDRESS_BYTES)
  if (type === 'streamlocal-forward@openssh.com') return { type, address, port: 0 }
  const port = reader.uint32('bind port')
  return port > MAX_PORT ? undefined : { type, address, port }
}

function readBlobs(reader: WireReader): readonly Uint8Array[] {
  const blobs: Uint8Array[] = []
  while (reader.remaining > 0) blobs.push(reader.string('host key'))
  return blobs
}
