// The web terminal protocol on one WebSocket: a ticket or a resumption, then credentials, then a terminal, a command or files. The
// client is untrusted throughout: every message is validated against the schema and the current state, and waits time out.
import { type Frame, messageFrame, readFrame } from '@bowline/contract/terminal/frames'
import { ClientMessage, type EndCause, TERMINAL } from '@bowline/contract/terminal/messages'
import type { PeerAddress } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import { TEXTS, fromBowline } from '../record/texts.ts'
import type { JoinTarget, TicketTarget, Tickets } from '../../terminals/tickets.ts'
import type { Gateway } from '../gateway.ts'
import type { SharedTerminals } from '../sharing/shared-terminals.ts'
import { askToJoin } from './guest-terminal.ts'
import { provenKey } from './key-proof.ts'
import { type ResumableTerminal, type ResumableTerminals, nodeOf } from './resumable-terminals.ts'
import { type OwnedTerminal, openOwnedTerminal } from './owned-terminal.ts'
import { type WebAttempt, type WebRun, isTerminal } from './web-connection.ts'
import type { FrameSocket } from './web-terminal.ts'

export interface ConversationDeps {
  readonly gateway: Pick<Gateway, 'admitWeb'>
  readonly tickets: Pick<Tickets<TicketTarget>, 'take'>
  readonly joinTickets: Pick<Tickets<JoinTarget>, 'take'>
  readonly shared: SharedTerminals
  /** Id of this node. */
  readonly node: string
  readonly resumable: ResumableTerminals
  readonly clock: Clock
  /** How long a terminal is kept without a connection. */
  readonly resumeSeconds: number
  /**
   * Passes the frames of a WebSocket to the node that has the session of a token, or the one that is to be joined.
   * Undefined: this WebSocket is passed on by another node already.
   */
  readonly carry: ((node: string, socket: FrameSocket, join?: JoinTarget) => Carried | undefined) | undefined
}

/** What becomes of a WebSocket whose session another node has. */
export type Carried = Pick<Conversation, 'receive' | 'closed'>

export interface Conversation {
  /** Asks to join a terminal of this node, with a ticket that another node has taken. */
  join(target: JoinTarget): void
  /** One WebSocket message. */
  receive(message: Uint8Array): void
  /** The WebSocket closed. @param isFinished the page closed it on purpose and will not resume */
  closed(isFinished: boolean): void
  /** No ticket or resumption received yet. */
  readonly isPending: boolean
}

const HELLO_TIMEOUT_MS = 10_000
type Hello = Extract<ClientMessage, { type: 'hello' | 'files' | 'command' }>
type Key = Extract<ClientMessage, { type: 'key' }>

/** @param origin of the page, '' for programs; already checked to be our own */
export function createConversation(
  deps: ConversationDeps,
  socket: FrameSocket,
  peer: PeerAddress,
  origin: string,
): Conversation {
  const { clock, resumable } = deps
  let running: ResumableTerminal | undefined
  /** The same, where the browser signs in on the device. */
  let owned: OwnedTerminal | undefined
  let carried: Carried | undefined
  let isSignedIn = false
  let isOver = false
  let run: WebRun | undefined
  let target: TicketTarget | undefined
  let isChecking = false
  /** Until the ticket of `hello` is looked up; what the page says meanwhile waits. */
  let redeeming: Promise<void> | undefined
  let answer: ((answers: readonly string[]) => void) | undefined
  const cancelHelloTimeout = clock.after(HELLO_TIMEOUT_MS, () => refuse('late', 'Nothing was said for too long.'))

  /** Rejects the WebSocket before it has a session. */
  function refuse(reason: string, message: string): void {
    if (isOver || running || carried) return
    isOver = true
    cancelHelloTimeout()
    const cause: EndCause = { by: 'gateway', reason, message }
    socket.send(messageFrame({ type: 'ended', ...cause }))
    socket.close()
  }

  function breach(message: string): void {
    if (!running) return refuse('protocol', message)
    running.connection.disconnect({ by: 'protocol', reason: 'malformed-message', message: fromBowline(message) })
    running.terminal.leave()
  }

  /** Redeems a ticket and goes on with what it stands for. */
  function redeem<T>(found: T | Promise<T>, go: (target: T) => void): void | Promise<void> {
    if (!(found instanceof Promise)) return go(found)
    redeeming = found.then(go).finally(() => (redeeming = undefined))
    return redeeming
  }

  function begin(said: Hello, found: TicketTarget | undefined): void {
    if (isOver) return
    target = found
    if (!target) return refuse('ticket', UNKNOWN_TICKET)
    run = runOf(said)
    const opened = openOwnedTerminal(deps, { target, run, peer, socket, ended: () => invalidateToken() })
    if (typeof opened === 'string') return refuse(opened, 'Too many connections; try again later.')
    owned = opened
    running = opened
    cancelHelloTimeout()
    opened.terminal.send({ type: 'welcome', session: opened.connection.sessionId })
  }

  function join(found: JoinTarget | undefined): void {
    if (isOver) return
    if (!found) return refuse('ticket', UNKNOWN_TICKET)
    cancelHelloTimeout()
    if (found.node !== deps.node) {
      carried = deps.carry?.(found.node, socket, found)
      return carried ? undefined : refuse('unavailable', 'The server that has the session cannot be reached.')
    }
    running = askToJoin({
      shared: deps.shared,
      clock,
      // No longer than the default: the owner's consent was for somebody who is present.
      resumeSeconds: Math.min(deps.resumeSeconds, TERMINAL.resumeSeconds),
      target: found,
      peer,
      socket,
      admitted() {
        isSignedIn = true
        return keep()
      },
      ended: () => invalidateToken(),
    })
  }

  /** Lets the terminal be resumed. @returns the token */
  function keep(): string {
    const token = resumable.add(assertDefined(running))
    invalidateToken = () => resumable.remove(token)
    return token
  }

  /** Invalidates the resumption token once nothing is left to resume. */
  let invalidateToken = (): void => undefined

  async function resume(token: string, received: number): Promise<void> {
    const found = resumable.find(token)
    if (!found) carried = deps.carry?.(nodeOf(token), socket)
    if (carried) {
      cancelHelloTimeout()
      return carried.receive(messageFrame({ type: 'resume', token, received }))
    }
    if (!found) return refuse('not-resumable', 'The session has ended meanwhile.')
    cancelHelloTimeout()
    if (found.connection.peer.address !== peer.address) {
      found.connection.moveTo(peer)
      await found.moved()
    }
    if (isOver) return
    if (!found.terminal.resume(socket, received)) return refuse('protocol', 'It resumes where nothing is kept.')
    running = found
    isSignedIn = true
    found.resumed()
  }

  async function checkCredential(attempt: () => Promise<WebAttempt | undefined>): Promise<void> {
    const { connection, terminal } = assertDefined(owned)
    if (isChecking) return breach('One credential after the other.')
    isChecking = true
    const shown = await attempt()
    const isAccepted = shown ? await connection.attempt(shown) : connection.refuse()
    isChecking = false
    answer = undefined
    if (!isAccepted) return terminal.send({ type: 'refused' })
    // The browser may have disconnected meanwhile.
    if (isOver) return connection.leave(LEFT)
    isSignedIn = true
    owned?.share()
    terminal.send({ type: 'ready', token: keep(), seconds: deps.resumeSeconds })
    const started = assertDefined(run)
    if (await connection.start(started)) return
    connection.disconnect(started === 'sftp' ? NO_FILES : isTerminal(started) ? NO_SHELL : NO_COMMAND)
  }

  async function keyAttempt({ key, algorithm, signature }: Key): Promise<WebAttempt | undefined> {
    const { device, username } = assertDefined(target)
    const session = assertDefined(owned).connection.sessionId
    const proof = { key: bytes(key), algorithm, signature: bytes(signature) }
    const offered = await provenKey(proof, { origin, session, device, username })
    return offered && { method: 'publickey', key: offered, proven: true }
  }

  function ask(name: string, instruction: string, prompts: readonly { text: string; echo: boolean }[]) {
    assertDefined(owned).terminal.send({ type: 'prompt', name, instruction, prompts: [...prompts] })
    return new Promise<readonly string[]>((resolve, reject) => {
      answer = (given) => {
        answer = undefined
        if (given.length === prompts.length) resolve(given)
        else reject(new Error('not one answer for each prompt'))
      }
    })
  }

  function message(text: string): void | Promise<void> {
    const parsed = ClientMessage.safeParse(parse(text))
    if (!parsed.success) return breach('A message is not understood.')
    const clientMessage = parsed.data
    if (!running) {
      if (clientMessage.type === 'hello' || clientMessage.type === 'files' || clientMessage.type === 'command') {
        return redeem(deps.tickets.take(clientMessage.ticket), (found) => begin(clientMessage, found))
      }
      if (clientMessage.type === 'join') return redeem(deps.joinTickets.take(clientMessage.ticket), join)
      return clientMessage.type === 'resume'
        ? resume(clientMessage.token, clientMessage.received)
        : breach('A ticket is due first.')
    }
    if (clientMessage.type === 'bye') return running.terminal.leave()
    if (clientMessage.type === 'resize') {
      const { type: _, ...window } = clientMessage
      if (run && !isTerminal(run)) return breach('Only a terminal has a size.')
      // Whoever has joined runs nothing of their own.
      run = run && { ...run, ...window }
      return isSignedIn ? running.connection.resize(window) : undefined
    }
    if (clientMessage.type === 'admit' || clientMessage.type === 'refuse' || clientMessage.type === 'remove') {
      return running.shared ? running.shared.answer(clientMessage) : breach('Nobody can be let in here.')
    }
    if (isSignedIn || !owned) return breach('Nothing more is to be said to sign in.')
    switch (clientMessage.type) {
      case 'password':
        return checkCredential(() => Promise.resolve({ method: 'password', password: clientMessage.password }))
      case 'key':
        return checkCredential(() => keyAttempt(clientMessage))
      case 'questions':
        return checkCredential(() => Promise.resolve({ method: 'keyboard-interactive', prompt: ask }))
      case 'answers':
        return answer ? answer(clientMessage.answers) : breach('Nothing was asked.')
      default:
        return breach('It has begun already.')
    }
  }

  function carry(frame: Exclude<Frame, { kind: 'message' }>): void {
    if (!running || (!isSignedIn && frame.kind !== 'ping')) return breach('Nobody has signed in yet.')
    const fault = running.terminal.receive(frame)
    if (fault !== undefined) breach(`The terminal's page has lost its way: ${fault}.`)
  }

  return {
    join,
    get isPending() {
      return running === undefined && carried === undefined
    },
    receive(bytesOfMessage) {
      if (isOver) return
      if (carried) return carried.receive(bytesOfMessage)
      const frame = readFrame(bytesOfMessage)
      if (!frame) return breach('A frame is malformed.')
      if (frame.kind !== 'message') return carry(frame)
      const { text } = frame
      const work = redeeming ? redeeming.then(() => (isOver ? undefined : message(text))) : message(text)
      // The database does not answer: the browser retries.
      if (work) work.catch(() => (running ? running.connection.leave(LEFT) : refuse('unavailable', 'Try again.')))
    },
    closed(isFinished) {
      isOver = true
      cancelHelloTimeout()
      answer?.([])
      carried?.closed(isFinished)
      running?.terminal.detach(socket, isFinished || !isSignedIn)
      running?.shared?.refresh()
    },
  }
}

const UNKNOWN_TICKET = 'The ticket is unknown, used or too old.'
const LEFT = 'The person closed the terminal.'
const NO_SHELL = { by: 'local', reason: 'no-shell', message: TEXTS.noShell } as const
const NO_COMMAND = { by: 'local', reason: 'no-command', message: TEXTS.noCommand } as const
const NO_FILES = { by: 'local', reason: 'no-files', message: TEXTS.noFiles } as const

function runOf(said: Hello): WebRun {
  if (said.type === 'files') return 'sftp'
  if (said.type === 'command') return { command: said.command }
  const { term, columns, rows, width, height, lang } = said
  return { term, columns, rows, width, height, lang }
}

function assertDefined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the conversation has not begun')
  return value
}

function bytes(base64: string): Uint8Array {
  return Buffer.from(base64, 'base64')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
