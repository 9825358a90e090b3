// A display of a bridged device (RFC 4254 section 6.3). Its SSH server makes one for a session channel, so that channel is
// opened and asked for the display at once; the session that refers to the display runs its program in it.
import type { ListenOpen } from '@bowline/link/stream-messages'
import type { CloseCause } from '@bowline/ssh/api'
import type { ClientChannel, ClientChannelHandler, SshClientConnection } from '@bowline/ssh/client-api'

type DisplayRequest = Extract<ListenOpen['at'], { type: 'x11' }>

export class Display {
  readonly #channel: ClientChannel
  #handler: ClientChannelHandler | undefined
  #closed: CloseCause | undefined

  private constructor(channel: ClientChannel) {
    this.#channel = channel
  }

  /**
   * @returns undefined when the device's server forwards no displays
   * @throws {Error} when it opens no session
   */
  static async open(client: SshClientConnection, request: DisplayRequest): Promise<Display | undefined> {
    const made: { display?: Display } = {}
    const channel = await client.openChannel({ type: 'session' }, (opened) => {
      made.display = new Display(opened)
      return made.display.#handlerOf()
    })
    const isGranted = await channel.request({ ...request, type: 'x11-req' })
    if (isGranted) return made.display
    channel.close()
    return undefined
  }

  /** Gives the channel to its session, once. @returns undefined when it is taken, or the server has closed it */
  take(attach: (channel: ClientChannel) => ClientChannelHandler): ClientChannel | undefined {
    if (this.#handler || this.#closed) return undefined
    this.#handler = attach(this.#channel)
    return this.#channel
  }

  /** Ends the display of a session that never came. */
  drop(): void {
    if (!this.#handler) this.#channel.close()
  }

  /** Nothing runs in the channel before it is taken. */
  #handlerOf(): ClientChannelHandler {
    return {
      data: (bytes, extended) => this.#handler?.data(bytes, extended),
      drain: () => this.#handler?.drain?.(),
      eof: () => this.#handler?.eof?.(),
      exited: (exit) => this.#handler?.exited?.(exit),
      closed: (cause) => {
        this.#closed = cause
        this.#handler?.closed(cause)
      },
    }
  }
}
