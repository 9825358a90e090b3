// What the ssh client of a device shows: the answer to its enrolment, in each of its sessions. Nothing runs in them.
import type { ChannelDecision, ChannelHandler, SessionRequest, SshChannel } from '@bowline/ssh/api'

/** Sessions that one client may have open. */
const MAX_SESSIONS = 4
/** Keys by which a person leaves a program: Ctrl-C and Ctrl-D. They come as bytes where a terminal was asked for. */
const LEAVING: readonly number[] = [3, 4]

interface Session {
  readonly channel: SshChannel
  hasTerminal: boolean
  isStarted: boolean
}

export class Screen {
  readonly #sessions = new Set<Session>()
  readonly #left: () => void
  #text = ''
  #exit: number | undefined

  /** @param left the person has pressed a key to leave */
  constructor(left: () => void) {
    this.#left = left
  }

  /** Opens a session, which shows what has been said and what will be. */
  open(): ChannelDecision {
    if (this.#sessions.size >= MAX_SESSIONS) return { accept: false, code: 4, message: 'too many sessions' }
    return { accept: true, attach: (channel) => this.#attach(channel) }
  }

  /** Shows text. @param text lines, each with its end */
  say(text: string): void {
    this.#text += text
    for (const session of this.#sessions) write(session, text)
  }

  /** Ends the sessions. @param status of what they seem to run */
  end(status: number): void {
    this.#exit = status
    for (const session of this.#sessions) this.#finish(session)
  }

  #attach(channel: SshChannel): ChannelHandler {
    const session: Session = { channel, hasTerminal: false, isStarted: false }
    this.#sessions.add(session)
    return {
      data: (bytes) => {
        channel.consumed(bytes.length)
        if (session.hasTerminal && LEAVING.some((key) => bytes.includes(key))) this.#left()
      },
      request: (request) => this.#request(session, request),
      closed: () => void this.#sessions.delete(session),
    }
  }

  #request(session: Session, { type }: SessionRequest): boolean {
    if (type === 'pty-req') session.hasTerminal = true
    if (type !== 'shell' && type !== 'exec') return type === 'pty-req' || type === 'window-change'
    if (session.isStarted) return false
    session.isStarted = true
    write(session, this.#text)
    this.#finish(session)
    return true
  }

  #finish({ channel, isStarted }: Session): void {
    if (this.#exit === undefined || !isStarted) return
    channel.exitStatus(this.#exit)
    channel.close()
  }
}

/** Terminals are in raw mode: a line needs a carriage return. */
function write({ channel, hasTerminal, isStarted }: Session, text: string): void {
  if (!isStarted || text === '') return
  channel.write(Buffer.from(hasTerminal ? text.replaceAll('\n', '\r\n') : text))
}
