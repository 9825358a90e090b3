// A `session` stream of a bridged device: one session channel of the inner connection. What the gateway collected is
// requested in one go; input waits until the program runs.
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { SessionControl, type SessionEvent, type SessionOpen } from '@bowline/link/stream-messages'
import type { CloseCause, SessionRequest } from '@bowline/ssh/api'
import {
  type ClientChannel,
  type ClientChannelHandler,
  ChannelRefused,
  type ProgramExit,
  type SshClientConnection,
} from '@bowline/ssh/client-api'
import { type Flow, createFlow } from '../../forward/pipe.ts'
import type { Display } from './display.ts'

export interface ProcessParts {
  readonly client: SshClientConnection
  readonly open: SessionOpen
  readonly stream: LinkStream
  /** Display of its own, whose channel it runs in; undefined: none. */
  readonly display: Display | undefined
  readonly servedBy: string
  /** The stream has ended. */
  readonly ended: () => void
}

/** Inputs and messages that wait for the program. */
const MAX_EARLY = 4_096
const SIGNAL = /^[!-~]{1,32}$/
/** Identification of servers that know the request `eow@openssh.com`; OpenSSH's own client goes by the same. */
const KNOWS_EOW = /^SSH-2\.0-OpenSSH/

type Act = (channel: ClientChannel) => void

/** Starts at once. Its failures end the stream with a cause. */
export class BridgeProcess implements StreamHandler {
  readonly #parts: ProcessParts
  readonly #early: Act[] = []
  /** What the program has done before its start was known; the window of the channel bounds it. */
  readonly #events: (() => void)[] = []
  readonly #input: Flow
  #output: Flow | undefined
  #channel: ClientChannel | undefined
  /** Set once the program runs. */
  #running: ClientChannel | undefined
  #exit: ProgramExit | undefined
  #isClosed = false

  constructor(parts: ProcessParts) {
    this.#parts = parts
    this.#input = createFlow(
      (bytes) => this.#running?.write(bytes) ?? true,
      (count) => parts.stream.consumed(count),
      () => this.#running?.queuedBytes ?? 0,
    )
    this.#start().catch((error: unknown) => this.#refuse(error))
  }

  data(bytes: Uint8Array): void {
    this.#whenRunning(() => this.#input.pass(bytes, 0))
  }

  drain(): void {
    this.#output?.drained()
  }

  eof(): void {
    this.#whenRunning((channel) => channel.eof())
  }

  control(message: LinkMessage): void {
    const control = SessionControl.safeParse(message).data
    if (!control) return
    if (control.type === 'eow' && !KNOWS_EOW.test(this.#parts.client.serverIdent)) return this.#refuseOutput()
    const request: SessionRequest = control.type === 'eow' ? { type: 'eow@openssh.com' } : control
    this.#whenRunning((channel) => void channel.request(request).catch(() => undefined))
  }

  /** The person, or the link, has gone. */
  closed(): void {
    this.#isClosed = true
    this.#early.length = 0
    this.#channel?.close()
    this.#parts.ended()
  }

  /**
   * Closes the channel of a server that cannot be told that nobody reads: the program finds its outputs closed, as with
   * the others. Else it would run, or block, until the person leaves.
   */
  #refuseOutput(): void {
    this.#whenRunning((channel) => {
      this.#exit ??= { signal: 'PIPE', coreDumped: false, message: '' }
      channel.close()
    })
  }

  async #start(): Promise<void> {
    const { client, stream, display } = this.#parts
    const attach = (opened: ClientChannel): ClientChannelHandler => this.#attach(opened)
    const channel = display?.take(attach) ?? (await client.openChannel({ type: 'session' }, attach))
    if (this.#isClosed) return channel.close()
    const isGranted = await this.#request(channel)
    if (this.#isClosed) return
    if (!isGranted) return stream.close(notStarted('The device started nothing.'))
    this.#running = channel
    stream.control({ type: 'started' })
    for (const event of this.#events.splice(0)) event()
    for (const act of this.#early.splice(0)) act(channel)
  }

  /** A short program has ended by the time that its start is known: what it did waits for that. */
  #afterStart(event: () => void): void {
    if (this.#running) event()
    else this.#events.push(event)
  }

  /** @returns whether the program runs */
  #request(channel: ClientChannel): Promise<boolean> {
    const { pty, env, agent, run } = this.#parts.open
    const ask = (request: SessionRequest): Promise<boolean> => channel.request(request)
    const ignore = (answer: Promise<boolean>): void => void answer.catch(() => undefined)
    if (pty) ignore(ask({ type: 'pty-req', ...pty, modes: Buffer.from(pty.modes, 'base64') }))
    for (const [name, value] of env) ignore(ask({ type: 'env', name, value }))
    if (agent !== undefined) ignore(ask({ type: 'auth-agent-req@openssh.com' }))
    if (run.type === 'exec') return ask({ type: 'exec', command: Buffer.from(run.command, 'base64') })
    return ask(run)
  }

  #attach(channel: ClientChannel): ClientChannelHandler {
    const { stream } = this.#parts
    this.#channel = channel
    const output = createFlow(
      (bytes, lane) => stream.write(bytes, lane),
      (count) => channel.consumed(count),
      () => stream.queuedBytes,
    )
    this.#output = output
    return {
      data: (bytes, extended) => this.#afterStart(() => output.pass(bytes, extended === 1 ? 1 : 0)),
      drain: () => this.#input.drained(),
      eof: () => this.#afterStart(() => stream.eof()),
      exited: (exit) => (this.#exit = exit),
      closed: (cause) => this.#afterStart(() => this.#ended(cause)),
    }
  }

  /** The last byte has arrived: the status follows it. */
  #ended(cause: CloseCause): void {
    if (this.#isClosed) return
    const { stream, open } = this.#parts
    const isRegular = cause.reason === 'channel-closed'
    // Some servers close the channel of sftp without a status, which clients take for a failure.
    const mended = isRegular && open.run.type === 'subsystem' ? { status: 0 } : undefined
    const exit = this.#exit ?? mended
    stream.eof()
    if (exit) {
      stream.control({ ...eventOf(exit) })
      return stream.close()
    }
    stream.close(isRegular ? notStarted('The program ended without a status.') : LOST)
  }

  #whenRunning(act: Act): void {
    if (this.#running) return act(this.#running)
    if (this.#early.push(act) > MAX_EARLY) this.#parts.stream.close(TOO_EARLY)
  }

  #refuse(error: unknown): void {
    if (error instanceof ChannelRefused) {
      this.#parts.stream.close(notStarted(`The device opened no session. ${error.description}`.trim()))
    } else this.#parts.stream.close(LOST)
  }
}

const notStarted = (message: string): LinkCause => ({ by: 'agent', reason: 'refused', message })

function eventOf(exit: ProgramExit): SessionEvent {
  if ('status' in exit) return { type: 'exit', status: exit.status }
  const { signal, coreDumped, message } = exit
  const name = SIGNAL.test(signal) ? signal : 'KILL'
  return { type: 'exit-signal', signal: name, coreDumped, message: message.slice(0, 512) }
}

const LOST: LinkCause = { by: 'network', reason: 'device-lost', message: 'The connection to the device was lost.' }
const TOO_EARLY: LinkCause = {
  by: 'gateway',
  reason: 'protocol',
  message: 'Too much input came before the program ran.',
}
