// A session on a device, of a terminal, of a command or of files: signs in, carries bytes both ways, reconnects after a dropped connection, and reports
// how it ended. Independent of the screen and of React.
import { Backoff } from '@bowline/base/backoff'
import { dataFrame, takenFrame } from '@bowline/contract/terminal/frames'
import { type EndCause, type ServerMessage, TERMINAL } from '@bowline/contract/terminal/messages'
import { type Store, createStore } from '../../../platform/store.ts'
import { type Credential, keyMessage } from './credential.ts'
import { type FrameSocket, type FrameSocketParts, openFrameSocket } from './frame-socket.ts'
import { PendingInput } from './pending-input.ts'

export type Prompt = Extract<ServerMessage, { type: 'prompt' }>

export type TerminalState =
  | { readonly kind: 'connecting' }
  /** The device asks a question. */
  | { readonly kind: 'asked'; readonly prompt: Prompt }
  /** The person in the session is asked whether this one may join; `until`: own clock. */
  | { readonly kind: 'asking'; readonly until: number }
  | { readonly kind: 'running' }
  /** The connection dropped; `until` is when the session ends unless it is resumed (milliseconds, own clock). */
  | { readonly kind: 'reconnecting'; readonly until: number }
  /** The credential was rejected. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'ended'; readonly cause: EndCause; readonly exit: Exit | undefined }

/** Who else is in the terminal, and who asks to be. */
export type Sharing = Omit<Extract<ServerMessage, { type: 'sharing' }>, 'type'>

export type Exit = Omit<Extract<ServerMessage, { type: 'exit' }>, 'type'>

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface Target {
  readonly device: string
  readonly username: string
}

/** State with which a page continues a session of an earlier page. */
export interface Suspended {
  readonly session: string
  /** Authorizes the resumption; as good as the session itself. */
  readonly token: string
  /** Seconds for which the server keeps the session without a connection. */
  readonly seconds: number
  /** Bytes of output on the screen. */
  readonly shown: number
  /** Input that the device has not acknowledged. */
  readonly input: { readonly offset: number; readonly bytes: Uint8Array }
  /** It is another person's. */
  readonly joined?: true | undefined
}

export interface RemoteTerminalParts extends FrameSocketParts {
  readonly target: Target
  /** For a new session. */
  readonly credential?: Credential | undefined
  /** The session to go on with, instead of a new one. */
  readonly suspended?: Suspended | undefined
  /** Size of the terminal; undefined: the session is one of files, whose bytes are SFTP, or of {@link command}. */
  readonly size: Size | undefined
  /** The session is that of one command, without a terminal and without input. */
  readonly command?: string | undefined
  /** Joins the terminal of another person, whose size it has: called with each. The ticket is one to join. */
  readonly follow?: ((size: Size) => void) | undefined
  /** Requests a ticket from the server; rejects with the reason. */
  readonly ticket: () => Promise<string>
  /** Output in order. Call `done` once it is rendered. */
  readonly output: (bytes: Uint8Array, done: () => void) => void
}

export interface RemoteTerminal {
  readonly state: Store<TerminalState>
  /** Undefined until somebody asks to join, and while files are what runs. */
  readonly sharing: Store<Sharing | undefined>
  /** Who of those that have joined typed last, and when (own clock). */
  readonly typed: Store<{ readonly guest: string; readonly at: number } | undefined>
  /** Lets somebody type in this terminal. @param screen what draws it as it is now */
  admit(guest: string, screen: string): void
  /** Denies a request to join. */
  refuse(guest: string): void
  /** Ends the joining of somebody. */
  remove(guest: string): void
  /** Uid of the session; '' until assigned. */
  readonly session: () => string
  /** Latest ping, milliseconds. */
  readonly roundTripMs: Store<number | undefined>
  input(bytes: Uint8Array): void
  /** Input bytes that the device has not acknowledged. */
  readonly waitingBytes: () => number
  resize(size: Size): void
  answer(answers: readonly string[]): void
  /** Reconnects now: the network is back. */
  reconnectNow(): void
  /** The network may be gone: drops the connection unless it answers soon. */
  doubt(): void
  /** The page goes away: the server keeps the session for a while. @returns undefined when there is nothing to keep */
  suspend(): Suspended | undefined
  /** Ends the session. */
  close(): void
}

const TERM = 'xterm-256color'
const LANG = 'C.UTF-8'
/** Output is acknowledged in steps: after this many bytes, an eighth of the window, or after a short delay. */
const ACK_BYTES = TERMINAL.outputWindowBytes / 8
const ACK_DELAY_MS = 50
const RETRY = { baseMs: 250, capMs: 4_000, leastShare: 1 }

export function openRemoteTerminal(parts: RemoteTerminalParts): RemoteTerminal {
  const { target, credential, suspended, follow, command, later, now } = parts
  const state = createStore<TerminalState>({ kind: 'connecting' })
  const roundTripMs = createStore<number | undefined>(undefined)
  const sharing = createStore<Sharing | undefined>(undefined)
  const typed = createStore<{ guest: string; at: number } | undefined>(undefined)
  const input = new PendingInput(TERMINAL.pieceBytes, suspended?.input.offset)
  let { size } = parts
  let socket: FrameSocket | undefined
  let session = suspended?.session ?? ''
  let token = suspended?.token ?? ''
  let keptSeconds = suspended?.seconds ?? TERMINAL.resumeSeconds
  /** Offsets: input acknowledged by the device; output received, rendered, and acknowledged. */
  let inputAcknowledged = suspended?.input.offset ?? 0
  let received = suspended?.shown ?? 0
  let shown = received
  let acknowledged = received
  let exit: Exit | undefined
  let until = 0
  const backoff = new Backoff(RETRY)
  let isPasswordShown = false
  let cancelRetry = (): void => {}
  let cancelAck: (() => void) | undefined

  const isOver = (): boolean => ['ended', 'refused'].includes(state.get().kind)
  function finish(next: Extract<TerminalState, { kind: 'ended' | 'refused' }>): void {
    if (isOver()) return
    cancelRetry()
    state.set(next)
    socket?.say({ type: 'bye' })
    socket?.close()
  }
  const end = (by: string, reason: string, message: string): void =>
    finish({ kind: 'ended', cause: { by, reason, message }, exit })

  function connect(greet: (socket: FrameSocket) => void): void {
    const own: FrameSocket = openFrameSocket(parts, {
      opened: () => greet(own),
      message: (message) => own === socket && onMessage(message),
      frame: (frame) => own === socket && (frame.kind === 'data' ? show(frame) : onAcknowledged(frame.total)),
      answered: (ms) => roundTripMs.set(ms),
      closed: () => own === socket && dropped(),
    })
    socket = own
  }

  function dropped(): void {
    socket = undefined
    if (isOver()) return
    if (token === '') return end('network', 'unreachable', '')
    if (state.get().kind !== 'reconnecting') reconnecting()
    if (now() > until) return end('network', 'not-resumed', '')
    cancelRetry = later(resume, backoff.next())
  }

  function reconnecting(): void {
    until = now() + keptSeconds * 1_000
    backoff.reset()
    state.set({ kind: 'reconnecting', until })
  }

  function resume(): void {
    cancelRetry()
    if (socket || isOver()) return
    connect((own) => own.say({ type: 'resume', token, received }))
  }

  function onMessage(message: ServerMessage): void {
    switch (message.type) {
      case 'welcome':
        session = message.session
        return void signIn()
      case 'prompt':
        return ask(message)
      case 'refused':
        return finish({ kind: 'refused' })
      case 'ready':
        ;({ token, seconds: keptSeconds } = message)
        return run()
      case 'resumed':
        input.rewind(message.received)
        return run()
      case 'asking':
        return state.set({ kind: 'asking', until: now() + message.seconds * 1_000 })
      case 'joined':
        ;({ session } = message)
        return follow?.({ columns: message.columns, rows: message.rows })
      case 'size':
        return follow?.({ columns: message.columns, rows: message.rows })
      case 'sharing': {
        const { type: _, ...present } = message
        return sharing.set(present)
      }
      case 'typed':
        return typed.set({ guest: message.guest, at: now() })
      case 'exit': {
        const { type: _, ...how } = message
        exit = how
        return
      }
      case 'ended':
        return end(message.by, message.reason, message.message)
    }
  }

  async function signIn(): Promise<void> {
    // A password answers the first question; further questions go to the person.
    if (credential?.kind !== 'key') return socket?.say({ type: 'questions' })
    const { origin } = parts
    try {
      socket?.say(await keyMessage(credential, { origin, session, ...target }))
    } catch (error) {
      end('user', 'key', error instanceof Error ? error.message : String(error))
    }
  }

  function ask(prompt: Prompt): void {
    if (prompt.prompts.length === 0) return socket?.say({ type: 'answers', answers: [] })
    if (isPasswordShown || credential?.kind !== 'password') return state.set({ kind: 'asked', prompt })
    isPasswordShown = true
    socket?.say({ type: 'answers', answers: [credential.password] })
  }

  function run(): void {
    state.set({ kind: 'running' })
    acknowledge()
    socket?.ping()
    // The window may have been resized meanwhile.
    if (size && !follow) socket?.say({ type: 'resize', ...size, width: 0, height: 0 })
    pump()
  }

  function pump(): void {
    if (state.get().kind !== 'running') return
    for (let piece = nextPiece(); piece; piece = nextPiece()) socket?.send(dataFrame(piece.offset, piece.bytes))
  }
  const nextPiece = () => input.next(inputAcknowledged + TERMINAL.inputWindowBytes)

  function onAcknowledged(total: number): void {
    inputAcknowledged = total
    input.release(total)
    pump()
  }

  function show({ offset, bytes }: { offset: number; bytes: Uint8Array }): void {
    const fresh = bytes.subarray(received - offset)
    // Output is missing: reconnect and resume at the last good offset.
    if (offset > received) return socket?.close()
    received += fresh.length
    parts.output(fresh, () => {
      shown += fresh.length
      if (shown - acknowledged >= ACK_BYTES) acknowledge()
      else cancelAck ??= later(acknowledge, ACK_DELAY_MS)
    })
  }

  function acknowledge(): void {
    cancelAck?.()
    cancelAck = undefined
    if (state.get().kind !== 'running') return
    acknowledged = shown
    socket?.send(takenFrame(acknowledged))
  }

  function signInWithTicket(): void {
    parts.ticket().then(
      (ticket) => {
        if (isOver()) return
        if (follow) return connect((own) => own.say({ type: 'join', ticket }))
        const shell = size && { type: 'hello' as const, term: TERM, lang: LANG, ...size, width: 0, height: 0 }
        const other = command === undefined ? { type: 'files' as const } : { type: 'command' as const, command }
        connect((own) => own.say({ ...(shell ?? other), ticket }))
      },
      (error: unknown) => end('gateway', 'ticket', error instanceof Error ? error.message : String(error)),
    )
  }

  if (suspended) {
    input.push(suspended.input.bytes)
    reconnecting()
    resume()
  } else {
    signInWithTicket()
  }

  return {
    state,
    roundTripMs,
    sharing,
    typed,
    admit: (guest, screen) => socket?.say({ type: 'admit', guest, screen, shown }),
    refuse: (guest) => socket?.say({ type: 'refuse', guest }),
    remove: (guest) => socket?.say({ type: 'remove', guest }),
    session: () => session,
    waitingBytes: () => input.waitingBytes,
    input(bytes) {
      // Nobody's keys are kept for a terminal that they have not been let into.
      if (isOver() || (follow && token === '')) return
      input.push(bytes)
      pump()
    },
    resize(next) {
      size = next
      if (state.get().kind === 'running' && !follow) socket?.say({ type: 'resize', ...size, width: 0, height: 0 })
    },
    answer(answers) {
      if (state.get().kind !== 'asked') return
      state.set({ kind: 'connecting' })
      socket?.say({ type: 'answers', answers: [...answers] })
    },
    reconnectNow: () => {
      if (state.get().kind === 'reconnecting') resume()
    },
    doubt: () => socket?.doubt(),
    suspend() {
      if (token === '' || isOver()) return undefined
      socket?.suspend()
      return { session, token, seconds: keptSeconds, shown, input: input.waiting, ...(follow ? { joined: true } : {}) }
    },
    close: () => end('user', 'disconnect', ''),
  }
}
