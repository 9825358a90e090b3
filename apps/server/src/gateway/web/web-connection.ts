// Adapts a browser's connection to the gateway's SSH connection interface: it signs in, opens one session channel with a
// terminal and a shell, with a command, or with the SFTP subsystem, and ends with a cause. A view handles its output and input.
import { randomBytes } from 'node:crypto'
import {
  type AuthAttempt,
  type AuthDecision,
  type ChannelHandler,
  type CloseCause,
  type ConnectionHandler,
  DEFAULT_LIMITS,
  type PeerAddress,
  type SessionRequest,
  type SshChannel,
  type SshConnection,
  type WindowChange,
} from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import { oneLine } from '../record/device-text.ts'
import { TEXTS, fromBowline, withoutPrefix } from '../record/texts.ts'

/** An endpoint's side of a terminal: shows output and receives credit for the input that it passed on. */
export interface TerminalView {
  /** Takes ownership of the memory. @returns false to pause output until {@link WebConnection.drained} */
  output(bytes: Uint8Array): boolean
  /** Returns credit for this many bytes of input. */
  consumed(count: number): void
  exit(end: { readonly status: number } | { readonly signal: string }): void
  /** Called exactly once, last. */
  closed(cause: CloseCause): void
}

export interface Terminal {
  readonly term: string
  readonly columns: number
  readonly rows: number
  /** Pixels; 0 when unknown. */
  readonly width: number
  readonly height: number
  /** Value of LANG; default: the device's own. */
  readonly lang?: string | undefined
}

/** What runs on the channel: a shell in a terminal, a command without input, or the device's file server. */
export type WebRun = Terminal | { readonly command: string } | 'sftp'

export function isTerminal(run: WebRun): run is Terminal {
  return run !== 'sftp' && 'term' in run
}

/** A credential; the user name is the connection's. */
export type WebAttempt = AuthAttempt extends infer A
  ? A extends { method: 'none' }
    ? never
    : A extends object
      ? Omit<A, 'user'>
      : never
  : never

export interface WebConnection extends SshConnection {
  /**
   * Checks one credential; one at a time. A refusal that ends the connection has already done so.
   * @returns whether the login was accepted
   */
  attempt(attempt: WebAttempt): Promise<boolean>
  /** Counts an unusable credential as an attempt. @returns false */
  refuse(): boolean
  /** The client continues from another address. */
  moveTo(peer: PeerAddress): void
  /** Starts what is wanted; output may arrive before it resolves. */
  start(run: WebRun): Promise<boolean>
  input(bytes: Uint8Array): void
  resize(size: Omit<WindowChange, 'type'>): void
  /** The view accepts output again. */
  drained(): void
  /** The client has left for good. @param message for the row */
  leave(message: string): void
}

export interface WebConnectionParts {
  readonly handler: ConnectionHandler
  readonly view: TerminalView
  readonly peer: PeerAddress
  /** User name as an ssh client would send it: account and device. */
  readonly login: string
  readonly clock: Clock
}

const { authAttempts, loginGraceMs } = DEFAULT_LIMITS
/** Characters of a file server's stderr that are kept: it has no place among its packets. */
const MAX_STDERR = 4_096
const STDERR = 1
/** How long a command that is asked to end may still write, for what it does before: it would die of a closed pipe. */
const STOP_GRACE_MS = 5_000

export function createWebConnection({ handler, view, login, clock, ...parts }: WebConnectionParts): WebConnection {
  let { peer } = parts
  let user: string | undefined
  let attempts = 0
  let isOver = false
  let channel: ChannelHandler | undefined
  let run: WebRun | undefined
  let isStarted = false
  let hasExited = false
  /** Why the client has left a command that was asked to end. */
  let left: CloseCause | undefined
  let cancelStop = (): void => undefined
  let stderr = ''
  const cancelGrace = clock.after(loginGraceMs, () =>
    end({ by: 'timeout', reason: 'login-grace', message: `Nobody signed in within ${loginGraceMs / 1_000} seconds.` }),
  )

  function end(cause: CloseCause): void {
    if (isOver) return
    isOver = true
    cancelGrace()
    cancelStop()
    if (!left) askToEnd()
    const why = left ?? cause
    channel?.closed(why)
    handler.closed(connection, why)
    view.closed(run === 'sftp' && why.by === 'peer' ? { ...why, message: endOfFiles(why.message) } : why)
  }

  /** Nothing else would end a program without a terminal: sshd leaves it running, too, when its client is gone. */
  function askToEnd(): void {
    if (isCommand(run) && !hasExited) void channel?.request?.({ type: 'signal', name: 'TERM' })
  }

  /** Without its client a session ends, a command once it had the time to. */
  function lose(cause: CloseCause): void {
    if (!isCommand(run) || hasExited || !channel) return end(cause)
    if (left) return
    left = cause
    askToEnd()
    cancelStop = clock.after(STOP_GRACE_MS, () => end(cause))
    // The client may have been too slow for its output.
    channel.drain?.()
  }

  /** The end of a file server, with its own last words. @param message why it has ended once it ran */
  function endOfFiles(message: string): string {
    const happened = isStarted ? message : withoutPrefix(TEXTS.noFiles)
    const said = withoutPrefix(oneLine(stderr))
    return fromBowline(said === '' ? happened : `${happened} It reported: ${said}`)
  }

  async function attempt(shown: WebAttempt): Promise<boolean> {
    if (isOver) return false
    const tried = { ...shown, user: login } as AuthAttempt
    const decision: AuthDecision = await handler.authenticate(connection, tried).catch(() => ({ result: 'reject' }))
    if (isOver) return false
    if (decision.result === 'accept') {
      user = login
      cancelGrace()
      return true
    }
    if (decision.result === 'disconnect') {
      end({ by: 'local', reason: 'authentication-refused', message: decision.message })
    }
    return refuse()
  }

  function refuse(): boolean {
    attempts += 1
    if (attempts >= authAttempts) {
      end({ by: 'local', reason: 'auth-attempts', message: TEXTS.tooManyAttempts })
    }
    return false
  }

  /** Input buffered until the shell runs. */
  let early: Uint8Array[] | undefined = []

  function input(bytes: Uint8Array): void {
    // A command has none.
    if (isCommand(run)) return view.consumed(bytes.length)
    if (early) early.push(bytes)
    else channel?.data(bytes, 0)
  }

  async function start(wanted: WebRun): Promise<boolean> {
    run = wanted
    const decision = await handler.open(connection, { type: 'session' })
    if (isOver) return false
    if (!decision.accept) {
      end({ by: 'local', reason: 'channel-refused', message: decision.message })
      return false
    }
    const opened = decision.attach(sessionChannel)
    channel = opened
    if (isTerminal(wanted)) await prepareTerminal(opened, wanted)
    const starts = opened.request?.(requestOf(wanted)) ?? false
    const typed = early ?? []
    early = undefined
    for (const bytes of typed) input(bytes)
    isStarted = await starts
    if (isCommand(wanted)) opened.eof?.()
    return isStarted
  }

  const sessionChannel: Omit<SshChannel, 'connection'> & { connection: SshConnection } = {
    id: 0,
    type: 'session',
    get connection(): SshConnection {
      return connection
    },
    write(bytes, extended) {
      if (isOver || left) return true
      // On a terminal stdout and stderr are the same; those of a command are shown together, too.
      if (run !== 'sftp' || extended !== STDERR) return view.output(bytes)
      stderr += Buffer.from(bytes.subarray(0, MAX_STDERR - stderr.length)).toString()
      return true
    },
    queuedBytes: 0,
    consumed: (count) => view.consumed(count),
    eof: () => undefined,
    exitStatus(status) {
      hasExited = true
      if (!left) view.exit({ status })
    },
    exitSignal(signal) {
      hasExited = true
      if (!left) view.exit({ signal })
    },
    // The connection ends with its only session, as an ssh client would end it.
    close: () => end({ by: 'peer', reason: 'disconnect', message: 'The session has ended.' }),
  }

  const connection: WebConnection = {
    sessionId: randomBytes(32).toString('hex'),
    get peer() {
      return peer
    },
    clientIdent: 'web',
    get user() {
      return user
    },
    factors: [],
    algorithms: undefined,
    bytesIn: 0,
    bytesOut: 0,
    // Its one terminal holds no more than it retains for a browser that comes back.
    heldBytes: 0,
    openChannel: () => Promise.reject(new Error('a web terminal takes no channels')),
    explain: () => undefined,
    announce: () => undefined,
    allowLogin: () => undefined,
    disconnect: (cause) => (cause.by === 'peer' ? lose(cause) : end(cause)),
    attempt,
    start,
    refuse,
    moveTo: (next) => (peer = next),
    input,
    resize: (size) => void channel?.request?.({ ...size, type: 'window-change' }),
    drained: () => channel?.drain?.(),
    leave: (message) => lose({ by: 'peer', reason: 'disconnect', message }),
  }
  return connection
}

function isCommand(run: WebRun | undefined): run is { readonly command: string } {
  return run !== undefined && run !== 'sftp' && 'command' in run
}

function requestOf(run: WebRun): SessionRequest {
  if (run === 'sftp') return { type: 'subsystem', name: 'sftp' }
  return 'command' in run ? { type: 'exec', command: Buffer.from(run.command) } : { type: 'shell' }
}

const NO_MODES = new Uint8Array(0)

async function prepareTerminal(channel: ChannelHandler, { lang, ...terminal }: Terminal): Promise<void> {
  await channel.request?.({ ...terminal, type: 'pty-req', modes: NO_MODES })
  if (lang !== undefined) await channel.request?.({ type: 'env', name: 'LANG', value: lang })
}
