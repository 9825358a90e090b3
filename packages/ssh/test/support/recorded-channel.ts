// A channel handler that records its calls and answers as the test configures.
import type { ChannelHandler, CloseCause, SessionRequest, SshChannel } from '../../src/api.ts'

export class RecordedChannel implements ChannelHandler {
  readonly channel: SshChannel
  readonly requests: SessionRequest[] = []
  readonly chunks: Buffer[] = []
  readonly extended: number[] = []
  drains = 0
  eofs = 0
  readonly causes: CloseCause[] = []
  /** Returns window immediately. */
  consumes = true
  /** Decides requests. */
  answer: (request: SessionRequest) => boolean | Promise<boolean> = () => true
  /** Called when output may resume. */
  whenDrained: () => void = () => undefined

  constructor(channel: SshChannel) {
    this.channel = channel
  }

  /** Everything received, joined. */
  get received(): Buffer {
    return Buffer.concat(this.chunks)
  }

  data(bytes: Uint8Array, extended: number): void {
    this.chunks.push(Buffer.from(bytes))
    this.extended.push(extended)
    if (this.consumes) this.channel.consumed(bytes.length)
  }

  drain(): void {
    this.drains += 1
    this.whenDrained()
  }

  eof(): void {
    this.eofs += 1
  }

  request(request: SessionRequest): boolean | Promise<boolean> {
    this.requests.push(request)
    return this.answer(request)
  }

  closed(cause: CloseCause): void {
    this.causes.push(cause)
  }
}
