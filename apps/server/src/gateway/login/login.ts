// One person's login: from SSHID and credential to an accepted `auth` stream on the device. Every attempt is judged
// for itself. Until a credential is valid, every refusal is the same for any device: unknown, offline, not accepted,
// behind a firewall rule, or busy.
import type { SessionUid, UserId } from '@bowline/contract/schemas/common'
import type { Link, LinkCause, LinkStream } from '@bowline/link/api'
import type { AuthCredential } from '@bowline/link/stream-messages'
import type { AuthDecision, SshConnection } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import type { TenantContext } from '../../context.ts'
import type { LoginTarget } from '../../devices/presence.ts'
import type { Attempt, Decision } from '../../firewall/rules.ts'
import type { KeyUse } from '../../public-keys/rules.ts'
import { noteRefusal } from '../../sessions/guesses.ts'
import type { NewSession, SessionCause } from '../../sessions/service.ts'
import type { Agents } from '../links/agents.ts'
import { type AuthStream, openAuthStream } from './auth-stream.ts'
import { quoted } from '../record/device-words.ts'
import type { DeviceChecks } from './device-checks.ts'
import type { Guesses } from '../admission/guesses.ts'
import { type ForwardingLeave, refusedByRule } from './live-logins.ts'
import type { Person } from './questions.ts'
import { KEY_STEP_MS, REFUSAL_STEP_MS, paced } from '../admission/refusal-pace.ts'
import { type SessionRecord, openSessionRecord } from '../record/session-record.ts'
import type { SessionBudget } from './session-budget.ts'
import { type SshId, parseSshId } from './sshid.ts'
import type { Statement } from './statement.ts'
import { TEXTS } from '../record/texts.ts'

export interface LoginDeps {
  /** The front door that the person came by: `type` of the session. */
  readonly door: NewSession['type']
  /** Who has signed in at the console and came by a web terminal; undefined for everybody else. */
  readonly person: UserId | undefined
  readonly agents: Agents
  readonly node: string
  readonly resolve: (target: SshId['target']) => Promise<LoginTarget | undefined>
  readonly contextOf: (target: LoginTarget) => TenantContext
  readonly checks: DeviceChecks
  readonly budget: SessionBudget
  readonly guesses: Guesses
  readonly clock: Clock
  /** What the namespace's firewall says of connections. */
  readonly firewall: (ctx: TenantContext) => Promise<(attempt: Attempt) => Decision>
  /** Whether a key is registered for such a login. */
  readonly keyMayLogIn: (ctx: TenantContext, blob: Uint8Array, use: KeyUse) => Promise<boolean>
  /** Signs the platform's word that it has authorised a login. */
  readonly sign: (statement: Statement) => string
}

/** A login that the device has accepted; lives as long as the SSH connection and the link. */
export interface AcceptedLogin {
  readonly link: Link
  /** The stream that stands for the login; its id goes into every stream that belongs to it. */
  readonly stream: LinkStream
  readonly record: SessionRecord
  /** In the device's namespace. */
  readonly ctx: TenantContext
  /** Resolves when the row says that the login was accepted; nothing is opened before. Rejects when the database is down. */
  readonly recorded: Promise<void>
  readonly target: LoginTarget
  readonly forwarding: ForwardingLeave
  readonly user: string
  /** Wire encoding of the key that was used; undefined for a password. */
  readonly key: Uint8Array | undefined
}

/**
 * What a person has shown: a password for the device, their answers to its questions, or a key whose signature the
 * transport has verified.
 */
export type Credential =
  | { readonly method: 'password'; readonly password: string }
  | { readonly method: 'keyboard-interactive'; readonly person: Person }
  | { readonly method: 'publickey'; readonly blob: Uint8Array }

export interface Login {
  /** Judges one credential. Rejects when the database does not answer: nobody gets in without a row. */
  judge(user: string, credential: Credential): Promise<AuthDecision>
  /** Whether a key would be accepted: without any effect, and the same refusal whatever the reason. */
  query(user: string, blob: Uint8Array): Promise<AuthDecision>
  /** Why policy has refused the login: for the row; the person is told less. */
  readonly refusal: SessionCause | undefined
  /** Set once a credential was accepted. */
  readonly accepted: AcceptedLogin | undefined
  /** Ends what the login holds: the device's side and the row. */
  close(cause: SessionCause): Promise<void>
}

const REFUSED_PASSWORD: AuthDecision = { result: 'reject', message: TEXTS.notAccepted }
const NO_TURN = Promise.resolve(() => undefined)

/**
 * @param lost called when the link of an accepted login goes away
 */
export function createLogin(deps: LoginDeps, connection: SshConnection, lost: (cause: LinkCause) => void): Login {
  let record: SessionRecord | undefined
  let recordOf: string | undefined
  let auth: AuthStream | undefined
  let accepted: AcceptedLogin | undefined
  let giveBack = (): void => undefined
  let attempt: Promise<unknown> = Promise.resolve()
  let closed = false
  let refusal: SessionCause | undefined
  /** The rule that the row has been told of. */
  let notedRule: number | undefined
  /** Anybody can type a password, so the reason for a refusal is not told unless they have signed in before. */
  const isStranger = deps.person === undefined

  /**
   * Why the device is not asked, or has not answered. A registered key is told, with its signature; a password or an
   * answer that no device has checked gets the refusal that every wrong one gets.
   */
  const told = ({ method }: Credential, message: string): AuthDecision =>
    isStranger && method !== 'publickey' ? REFUSED_PASSWORD : { result: 'disconnect', message }

  /** The row of the first attempt on a device; a second user name on the connection is refused by the transport. */
  async function openRecord(ctx: TenantContext, id: SshId, target: LoginTarget): Promise<SessionRecord> {
    if (record && recordOf === `${id.user}@${target.uid}`) return record
    if (record) throw new Error('the user name has changed within one connection')
    record = await openSessionRecord(ctx, {
      uid: connection.sessionId as SessionUid,
      device: target.uid,
      username: id.user,
      address: connection.peer.address,
      type: deps.door,
      node: deps.node,
    })
    recordOf = `${id.user}@${target.uid}`
    return record
  }

  /**
   * Asks the firewall. The row keeps the rule that decided, and the audit log a refusal; once for all the attempts on one
   * connection that meet the same rule.
   */
  async function isAllowed(
    ctx: TenantContext,
    opening: Promise<SessionRecord>,
    { uid }: LoginTarget,
    use: KeyUse,
  ): Promise<boolean> {
    const { address } = connection.peer
    const { allow, rule } = (await deps.firewall(ctx))({ address, ...use })
    // An earlier attempt may have been refused by a rule that is gone.
    refusal = allow ? undefined : refusedByRule(rule)
    if (rule === undefined) return allow
    const row = await opening
    if (notedRule === rule) return allow
    notedRule = rule
    row.note('firewall', 0, { rule, action: allow ? 'allow' : 'deny' })
    if (allow) return true
    const device = { uid, name: use.device.name }
    await noteRefusal(ctx, { session: row.uid, address, rule, username: use.user, device })
    return false
  }

  function credentialFor(id: SshId, target: LoginTarget, credential: Credential): AuthCredential {
    if (credential.method === 'password') return credential
    if (credential.method === 'keyboard-interactive') return { method: credential.method }
    const { sessionId: session } = connection
    return { method: 'statement', statement: deps.sign({ session, user: id.user, device: target.uid }) }
  }

  async function judge(user: string, credential: Credential): Promise<AuthDecision> {
    const id = parseSshId(user)
    if (!id) return { result: 'disconnect', message: TEXTS.wrongFormat }
    if (credential.method === 'publickey') return judgeAs(id, credential)
    const { target } = id
    const name = 'uid' in target ? target.uid : `${target.namespace}.${target.device}`
    const judged = await deps.guesses.begin(connection.peer.address, name, id.user)
    if (!judged) return { result: 'disconnect', message: TEXTS.tooManyGuesses }
    let wrong = false
    try {
      const decision = await judgeAs(id, credential)
      wrong = decision.result === 'reject'
      return decision
    } finally {
      judged(wrong)
    }
  }

  async function query(user: string, blob: Uint8Array): Promise<AuthDecision> {
    const id = parseSshId(user)
    const target = id && (await deps.resolve(id.target))
    if (!id || !target || target.status !== 'accepted') return { result: 'reject' }
    const use = { user: id.user, device: { name: target.name, tags: target.tags } }
    const takes = await deps.keyMayLogIn(deps.contextOf(target), blob, use)
    return { result: takes ? 'accept' : 'reject' }
  }

  const pacedForStrangers = (judging: Promise<AuthDecision>, stepMs: number): Promise<AuthDecision> =>
    isStranger ? paced(deps.clock, judging, stepMs) : judging

  async function judgeAs(id: SshId, credential: Credential): Promise<AuthDecision> {
    const target = await deps.resolve(id.target)
    const link = target?.status === 'accepted' ? deps.agents.find(target.uid) : undefined
    const byKey = credential.method === 'publickey'
    // A key that is not registered tells nothing, not even that there is no such device: the client goes on.
    if (!target || target.status !== 'accepted')
      return byKey ? { result: 'reject' } : told(credential, TEXTS.unreachable)
    const ctx = deps.contextOf(target)
    const use = { user: id.user, device: { name: target.name, tags: target.tags } }
    if (byKey && !(await deps.keyMayLogIn(ctx, credential.blob, use))) return { result: 'reject' }
    // The row is written while the firewall and the device are asked; nobody gets in before it is there.
    const opening = openRecord(ctx, id, target)
    // Looked at below; it may fail before.
    opening.catch(() => undefined)
    try {
      if (!(await isAllowed(ctx, opening, target, use))) return told(credential, TEXTS.refused)
      if (!link) return told(credential, TEXTS.unreachable)
      return await askDevice(ctx, id, target, link, credential, opening)
    } finally {
      await opening
    }
  }

  async function askDevice(
    ctx: TenantContext,
    id: SshId,
    target: LoginTarget,
    link: Link,
    credential: Credential,
    opening: Promise<SessionRecord>,
  ): Promise<AuthDecision> {
    if (closed) return { result: 'disconnect', message: 'The connection has ended.' }
    auth = auth?.usableOn(link) ? auth : openAuthStream(link, id.user, connection, ctx.clock, lost)
    const verdict = await auth.check(credentialFor(id, target, credential), {
      // The proof of a key has been verified; the platform's word for it costs the device next to nothing.
      turn: () => (credential.method === 'publickey' ? NO_TURN : deps.checks.acquire(target.uid)),
      ...(credential.method === 'keyboard-interactive' ? { person: credential.person } : {}),
    })
    if (verdict === undefined) return told(credential, TEXTS.unreachable)
    const row = await opening
    if (verdict.type === 'accepted') {
      const place = deps.budget.take(target, id.user)
      if (!place) return { result: 'disconnect', message: TEXTS.tooManySessions }
      giveBack = place
      const recorded = row.authenticated()
      recorded.catch((error: unknown) => {
        ctx.log.error('session.error', { session: row.uid, err: error })
        connection.disconnect({ by: 'local', reason: 'not-recorded', message: TEXTS.noRoom })
      })
      const key = credential.method === 'publickey' ? credential.blob : undefined
      const forwarding = { policy: target.forwarding, used: false }
      accepted = { link, stream: auth.stream, record: row, ctx, recorded, target, forwarding, user: id.user, key }
      return { result: 'accept' }
    }
    ctx.log.info('ssh.login-failed', { session: row.uid, device: target.uid, reason: verdict.reason })
    // Refused in spite of the right credential, and nothing that the person could try would help: as sshd, say why and end.
    if (verdict.message)
      return {
        result: 'disconnect',
        message: quoted(target.name, verdict.message),
      }
    if (verdict.reason === 'busy') return told(credential, TEXTS.busy)
    return credential.method === 'publickey' ? { result: 'reject' } : REFUSED_PASSWORD
  }

  return {
    get accepted() {
      return accepted
    },
    get refusal() {
      return refusal
    },
    query: (user, blob) => pacedForStrangers(query(user, blob), KEY_STEP_MS),
    judge(user, credential) {
      const judged = judge(user, credential)
      attempt = judged.catch(() => undefined)
      return pacedForStrangers(judged, credential.method === 'publickey' ? KEY_STEP_MS : REFUSAL_STEP_MS)
    },
    async close(cause) {
      closed = true
      const end = (): void => auth?.stream.close({ by: 'gateway', reason: 'login-closed', message: cause.message })
      end()
      // An attempt under way may still open a row and a stream: they end with the login.
      await attempt
      end()
      giveBack()
      await record?.close(cause)
    },
  }
}
