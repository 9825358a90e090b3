// For tests: a client of a server, on whatever carries the bytes.
import { Buffer } from 'node:buffer'
import { PacketBuffer } from '../packets.ts'
import { STATUS } from '../protocol.ts'
import { decodeReply, type Reply } from '../replies.ts'
import { encodeRequest, type Request } from '../requests.ts'

type WithoutId<R> = R extends { readonly id: number } ? Omit<R, 'id'> : never
export type Ask = WithoutId<Request>

export const NO_ATTRIBUTES = { attributes: {} }
export const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

/** A client: requests are sent at once, responses are matched by order. */
export class Client {
  readonly #send: (bytes: Buffer) => void
  readonly #packets = new PacketBuffer()
  readonly #waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void }[] = []
  #id = 0
  #end: Error | undefined

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send
  }

  received(chunk: Uint8Array): void {
    for (const packet of this.#packets.push(chunk)) this.#waiting.shift()?.resolve(decodeReply(Buffer.from(packet)))
  }

  /** No more responses follow. */
  ended(why: string): void {
    this.#end = new Error(`the server has ended: ${why}`)
    for (const { reject } of this.#waiting.splice(0)) reject(this.#end)
  }

  start(): Promise<Reply> {
    return this.#ask({ type: 'init', version: 3, extensions: [] })
  }

  ask(request: Ask): Promise<Reply> {
    this.#id += 1
    return this.#ask({ ...request, id: this.#id })
  }

  raw(packet: Uint8Array): void {
    this.#send(Buffer.from(packet))
  }

  /** The status code of the response. */
  async status(request: Ask): Promise<number | string> {
    const reply = await this.ask(request)
    return reply.type === 'status' ? reply.code : reply.type
  }

  async handle(request: Ask): Promise<Buffer> {
    const reply = await this.ask(request)
    if (reply.type !== 'handle') throw new Error(`no handle: ${JSON.stringify(reply)}`)
    return reply.handle
  }

  /** All names of a directory, in batches as received. */
  async list(path: Buffer): Promise<Buffer[][]> {
    const handle = await this.handle({ type: 'opendir', path })
    const batches: Buffer[][] = []
    for (;;) {
      const reply = await this.ask({ type: 'readdir', handle })
      if (reply.type !== 'name') break
      batches.push(reply.names.map(({ name }) => name))
    }
    if ((await this.status({ type: 'close', handle })) !== STATUS.ok) throw new Error('the directory was not closed')
    return batches
  }

  #ask(request: Request): Promise<Reply> {
    if (this.#end) return Promise.reject(this.#end)
    this.#send(encodeRequest(request))
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }
}
