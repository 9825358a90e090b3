// One SSH connection, from its first authentication request to its last channel: turns the transport's questions into
// a login and its channels. Life of a session: see ARCHITECTURE.md.
import type { UserId } from '@bowline/contract/schemas/common'
import type { LinkCause } from '@bowline/link/api'
import {
  type AuthAttempt,
  type AuthDecision,
  type ChannelDecision,
  type ChannelOpen,
  type CloseCause,
  type ConnectionHandler,
  OPEN_PROHIBITED,
  OPEN_RESOURCE_SHORTAGE,
  type SshConnection,
} from '@bowline/ssh/api'
import type { Log } from '../platform/log.ts'
import type { SessionCause } from '../sessions/service.ts'
import type { Admitted, Offence } from './admission/admission.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { Agents } from './links/agents.ts'
import { quoted } from './record/device-words.ts'
import { dialChannel } from './forward/dial-channel.ts'
import { type Forwards, type ForwardsDeps, createForwards, forwardingRefusal } from './forward/forwards.ts'
import { type LiveLogins, refusedByRule } from './login/live-logins.ts'
import { type AcceptedLogin, type Credential, type Login, type LoginDeps, createLogin } from './login/login.ts'
import { PromptCancelled, firstQuestion } from './login/questions.ts'
import { type Seat, sessionChannel } from './session/session-channel.ts'
import { parseSshId } from './login/sshid.ts'
import { TEXTS, fromBowline } from './record/texts.ts'

export interface ConnectionDeps extends LoginDeps, ForwardsDeps {
  readonly agents: Agents
  readonly live: LiveLogins
  readonly recordings: Recordings
  readonly log: Log
  /** Whether the server is about to stop: nobody is signed in any more. */
  readonly isDraining: () => boolean
  /** Who has opened the connection from the console; undefined for SSH clients. */
  readonly person: UserId | undefined
  /** Counts the end of a connection. */
  readonly ended: (cause: SessionCause, authenticated: boolean) => void
}

const NOT_RECORDED = 'Sessions of this namespace must be recorded, and this one cannot be.'

/** A handler whose connection can be ended from outside, with the cause that person and row are told. */
export interface EndableHandler extends ConnectionHandler {
  end(connection: SshConnection, cause: SessionCause): void
  /** The connection goes on from another address: what the firewall says of it may end it. */
  moved(connection: SshConnection): Promise<void>
}

/** The handler of one connection that the gate has admitted. `track` gets the work that outlives the connection. */
export function connectionHandler(
  deps: ConnectionDeps,
  admitted: Admitted,
  track: (work: Promise<void>) => void,
): EndableHandler {
  let login: Login | undefined
  let forwards: Forwards | undefined
  /** Why the device is gone. */
  let lost: SessionCause | undefined
  /** Why somebody else ended it. */
  let endedBy: SessionCause | undefined
  /** What came of the credentials: nothing yet, they were refused, or the server could not judge them. */
  let outcome: 'none' | 'refused' | 'unjudged' = 'none'
  /** A password or an answer was wrong. Clients offer every key they have, so a key is no guess. */
  let guessed = false
  let over = false
  let seats = 0
  let release = (): void => undefined

  const loginOf = (connection: SshConnection): Login =>
    (login ??= createLogin(deps, connection, (cause) => {
      if (!login?.accepted) return
      const { name } = login.accepted.target
      lost = deviceLost(cause, name)
      const message = cause.fromPeer ? lost.message : fromBowline(lost.message)
      connection.disconnect({ by: 'local', reason: 'device-lost', message })
    }))

  async function authenticate(connection: SshConnection, attempt: AuthAttempt): Promise<AuthDecision> {
    // Before a credential was tried nothing is told, except that the name cannot name anything.
    if (!parseSshId(attempt.user)) return { result: 'disconnect', message: TEXTS.wrongFormat }
    if (deps.isDraining()) {
      outcome = 'unjudged'
      return { result: 'disconnect', message: TEXTS.stopping }
    }
    if (attempt.method === 'none') return { result: 'reject' }
    if (attempt.method === 'publickey' && !attempt.proven) return answerQuery(connection, attempt)
    const since = deps.live.changes
    let decision: AuthDecision
    try {
      const credential = await toCredential(attempt)
      decision = await loginOf(connection).judge(attempt.user, credential)
    } catch (error) {
      if (error instanceof PromptCancelled) return { result: 'reject' }
      // The database is down: not the person's fault, so it costs them nothing and they are told.
      deps.log.error('session.error', { err: error })
      outcome = 'unjudged'
      return { result: 'disconnect', message: TEXTS.noRoom }
    }
    // The client may have left meanwhile; the login ends what came of it.
    if (over) return decision
    if (decision.result === 'accept') {
      admitted.authenticated()
      if (login?.accepted) release = keep(connection, login.accepted, since)
    } else {
      outcome = 'refused'
      guessed ||= attempt.method !== 'publickey'
    }
    return decision
  }

  /** The login lives: its row is kept fresh, and policy may end it. @returns lets go of it */
  function keep(connection: SshConnection, accepted: AcceptedLogin, since: number): () => void {
    const { record, target, user, key, forwarding } = accepted
    const forgetSession = deps.agents.keepSession(record.uid)
    const forgetLogin = deps.live.add(
      {
        tenant: target.tenant,
        device: target.uid,
        user,
        get address() {
          return connection.peer.address
        },
        key,
        person: deps.person,
        forwarding,
        end: (cause) => end(connection, cause, TEXTS.withdrawn),
      },
      since,
    )
    return () => {
      forgetSession()
      forgetLogin()
    }
  }

  async function moved(connection: SshConnection): Promise<void> {
    if (!login?.accepted) return
    const { ctx, target, user } = login.accepted
    const device = { name: target.name, tags: target.tags }
    const { allow, rule } = (await deps.firewall(ctx))({ address: connection.peer.address, user, device })
    if (!allow) end(connection, refusedByRule(rule), TEXTS.withdrawn)
  }

  function end(connection: SshConnection, cause: SessionCause, told = fromBowline(cause.message)): void {
    endedBy ??= cause
    connection.disconnect({ by: 'local', reason: cause.reason, message: told })
  }

  /** A client asks whether a key would be accepted. A certificate never is. */
  async function answerQuery(connection: SshConnection, { user, key }: KeyAttempt): Promise<AuthDecision> {
    const refused: AuthDecision = { result: 'reject' }
    const decision = await loginOf(connection)
      .query(user, key.blob)
      .catch(() => refused)
    return key.certificate ? refused : decision
  }

  /** Undefined before the login. */
  const forwardsOf = (connection: SshConnection): Forwards | undefined =>
    login?.accepted && (forwards ??= createForwards(deps, connection, login.accepted))

  /** Starts to record a seat; undefined when the namespace does not record. */
  function recording(connection: SshConnection, { ctx, record, target }: AcceptedLogin, seat: number): Seat['record'] {
    if (target.recording === 'off') return undefined
    const required = target.recording === 'required'
    return (terminal) =>
      deps.recordings.start(ctx, { session: record.uid, seat, required, ...terminal }, (message) => {
        record.note('recording-failed', seat, { message })
        if (required) end(connection, notRecorded(message))
      })
  }

  async function open(connection: SshConnection, asked: ChannelOpen): Promise<ChannelDecision> {
    const accepted = login?.accepted
    const own = forwardsOf(connection)
    if (!accepted || !own) return { accept: false, code: OPEN_PROHIBITED, message: 'not signed in' }
    try {
      // Written while the client heard of its success and asked for the channel.
      await accepted.recorded
    } catch {
      return { accept: false, code: OPEN_RESOURCE_SHORTAGE, message: TEXTS.noRoom }
    }
    if (asked.type !== 'session') {
      const refusal = forwardingRefusal(accepted)
      if (refusal !== undefined) return { accept: false, code: OPEN_PROHIBITED, message: refusal }
      accepted.forwarding.used = true
    }
    switch (asked.type) {
      case 'session': {
        const seat = seats
        seats += 1
        const record = recording(connection, accepted, seat)
        const one = { login: accepted, seat, forwards: own, record }
        return { accept: true, attach: (channel) => sessionChannel({ channel, ...one }) }
      }
      case 'direct-tcpip':
        accepted.record.note('direct-tcpip', 0, { host: asked.host, port: asked.port })
        return dialChannel(accepted, { host: asked.host, port: asked.port }, deps.clock)
      case 'direct-streamlocal@openssh.com':
        accepted.record.note('direct-streamlocal', 0, { path: asked.path })
        return dialChannel(accepted, { path: asked.path }, deps.clock)
    }
  }

  return {
    authenticate,
    open,
    listen: async (connection, request) => forwardsOf(connection)?.listen(request),
    unlisten: async (connection, request) => forwardsOf(connection)?.unlisten(request) ?? false,
    end,
    moved,
    closed(connection, cause) {
      over = true
      const authenticated = login?.accepted !== undefined
      const ended = endedBy ?? login?.refusal ?? lost ?? toSessionCause(cause, authenticated, outcome === 'refused')
      const offence = authenticated || outcome === 'unjudged' ? undefined : offenceOf(cause, guessed)
      // What a page sends wrongly is a fault of a console, and everybody else behind that address would pay for it.
      if (offence && !(offence === 'abuse' && deps.door === 'web')) admitted.offend(offence)
      release()
      admitted.release()
      deps.ended(ended, authenticated)
      deps.log.info('ssh.closed', { session: connection.sessionId, source: connection.peer.address, ...ended })
      if (login) track(login.close(ended))
    },
  }
}

function notRecorded(message: string): SessionCause {
  return { by: 'policy', reason: 'recording', message: `${NOT_RECORDED} ${message}`.trim() }
}

type KeyAttempt = Extract<AuthAttempt, { method: 'publickey' }>

/** @throws {PromptCancelled} when the person does not answer the first question */
async function toCredential(attempt: Exclude<AuthAttempt, { method: 'none' }>): Promise<Credential> {
  switch (attempt.method) {
    case 'password':
      return { method: 'password', password: attempt.password }
    case 'publickey':
      return { method: 'publickey', blob: attempt.key.blob }
    case 'keyboard-interactive':
      return { method: 'keyboard-interactive', person: await firstQuestion(attempt) }
  }
}

/** How a client can end its connection that merely speaks something else, or knows other algorithms. */
const HARMLESS: readonly string[] = [
  'bad-ident',
  'no-common-algorithm',
  'unknown-service',
  'user-changed',
  'auth-attempts',
]

/** What a connection that never signed in costs its source. */
function offenceOf(cause: CloseCause, guessed: boolean): Offence {
  const brokeRule = cause.by === 'protocol' || cause.by === 'limit'
  if (brokeRule && !HARMLESS.includes(cause.reason)) return 'abuse'
  return guessed ? 'auth-failed' : 'no-auth'
}

/** Why a device's link or login has ended, in the words of the session row; the device's own are quoted. */
function deviceLost({ by, reason, message, fromPeer }: LinkCause, device: string): SessionCause {
  return { by: by === 'user' ? 'agent' : by, reason, message: fromPeer ? quoted(device, message) : message }
}

/** The transport's cause in the words of the session row. */
function toSessionCause(cause: CloseCause, authenticated: boolean, failed: boolean): SessionCause {
  if (!authenticated && failed) {
    return { by: 'user', reason: 'login-failed', message: 'No credential was accepted.' }
  }
  if (cause.by !== 'peer') return { by: 'gateway', reason: cause.reason, message: cause.message }
  // What clients say when a person has finished (SSH_DISCONNECT_BY_APPLICATION) is no news beyond that.
  const message = cause.reason === 'disconnect' ? 'The person ended the connection.' : cause.message
  return { by: 'user', reason: cause.reason, message }
}
