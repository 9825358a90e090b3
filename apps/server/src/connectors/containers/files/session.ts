// A session of the subsystem sftp in a container that has no server for it: the stream of a link on one side, helpers in
// the container on the other.
import { BackgroundLoop } from '@bowline/base/background-loop'
import { EngineError } from '@bowline/engine/errors'
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import type { SessionEvent, SessionOpen } from '@bowline/link/stream-messages'
import { PacketBuffer } from '@bowline/sftp/packets'
import { type Request, decodeRequest } from '@bowline/sftp/requests'
import type { ContainerAccount } from '../account.ts'
import type { SignalParts } from '../signals.ts'
import { environmentOf } from '../start-line.ts'
import { Helpers } from './helpers.ts'
import { namesOf } from './names.ts'
import { ContainerFileServer } from './server.ts'

export interface ContainerFilesParts extends SignalParts {
  readonly account: ContainerAccount
  readonly open: SessionOpen
  readonly stream: LinkStream
}

/** Writes that are under way at once. */
const MAX_WRITES = 32
/** As the agent's program ends that got what is no request. */
const MALFORMED_STATUS = 255

/** Starts at once. Its failures end the stream with a cause. */
export class ContainerFiles implements StreamHandler {
  readonly #parts: ContainerFilesParts
  readonly #helpers: Helpers
  readonly #packets = new PacketBuffer()
  readonly #waiting: { readonly request: Request; readonly bytes: number }[] = []
  readonly #serving = new BackgroundLoop(() => this.#serve().catch((error: unknown) => this.#fail(error)))
  #server: ContainerFileServer | undefined
  /** Of requests without an answer. */
  #held = 0
  /** Received and not given back. */
  #owed = 0
  #canWrite = true
  #hasEnded = false
  #closed = false

  constructor(parts: ContainerFilesParts) {
    this.#parts = parts
    this.#helpers = new Helpers({ ...parts, env: environmentOf(parts.open, parts.account) })
    this.#start().catch((error: unknown) => this.#fail(error))
  }

  // StreamHandler

  data(bytes: Uint8Array): void {
    if (this.#closed || this.#hasEnded) return this.#parts.stream.consumed(bytes.length)
    this.#owed += bytes.length
    try {
      for (const packet of this.#packets.push(bytes)) {
        this.#held += packet.length
        this.#waiting.push({ request: decodeRequest(Buffer.from(packet)), bytes: packet.length })
      }
    } catch {
      return this.#end(MALFORMED_STATUS)
    }
    this.#giveBack()
    this.#serving.wake()
  }

  drain(): void {
    this.#canWrite = true
    this.#serving.wake()
  }

  eof(): void {
    this.#hasEnded = true
    this.#serving.wake()
  }

  closed(): void {
    this.#closed = true
    this.#waiting.length = 0
    this.#helpers.close()
  }

  async #start(): Promise<void> {
    const { engine, container, account, stream } = this.#parts
    const [, passwd, group] = await Promise.all([
      this.#helpers.first(),
      engine.readFile(container, '/etc/passwd'),
      engine.readFile(container, '/etc/group'),
    ])
    if (this.#closed) return
    this.#server = new ContainerFileServer(this.#helpers, account, namesOf(passwd, group))
    stream.control({ type: 'started' } satisfies SessionEvent)
    this.#serving.wake()
  }

  async #serve(): Promise<void> {
    const server = this.#server
    if (!server) return
    let sent = Promise.resolve()
    for (let writes = 0; this.#canWrite && !this.#closed; writes += 1) {
      const next = this.#waiting.shift()
      if (!next) break
      if (next.request.type !== 'write' || writes % MAX_WRITES === 0) await sent
      // In the order of the requests, also where writes are under way together.
      const answered = server.answer(next.request)
      sent = Promise.all([answered, sent]).then(([answer]) => this.#send(answer, next.bytes))
      if (next.request.type !== 'write') await sent
      else sent.catch(() => undefined)
    }
    await sent
    if (this.#hasEnded && this.#waiting.length === 0 && !this.#closed) this.#end(0)
  }

  #send(answer: Buffer, bytes: number): void {
    this.#held -= bytes
    this.#giveBack()
    if (!this.#parts.stream.write(answer)) this.#canWrite = false
  }

  /** Credit for everything but what waits for an answer: a request that is still incomplete must be able to go on. */
  #giveBack(): void {
    const count = this.#owed - this.#held
    if (count <= 0) return
    this.#owed -= count
    this.#parts.stream.consumed(count)
  }

  #end(status: number): void {
    if (this.#closed) return
    this.#closed = true
    const { stream } = this.#parts
    stream.eof()
    stream.control({ type: 'exit', status } satisfies SessionEvent)
    stream.close()
    this.#helpers.close()
  }

  #fail(error: unknown): void {
    if (this.#closed) return
    this.#closed = true
    const why = error instanceof EngineError ? error.message : 'files cannot be served'
    this.#parts.stream.close({ by: 'agent', reason: 'engine-failed', message: `The container engine failed: ${why}.` })
    this.#helpers.close()
  }
}
