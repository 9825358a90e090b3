// The second factor of one login, after its credential has proved right. A FIDO key that has verified its user counts by
// itself; a code of an authenticator is asked for through the client; all others wait until their person approves the
// login in the console. Nothing is held for a key that was only offered.
import { BowlineError } from '@bowline/contract/errors'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { AuthAttempt, AuthDecision, SshConnection } from '@bowline/ssh/api'
import type { TenantContext } from '../../context.ts'
import type { LoginTarget } from '../../devices/presence.ts'
import { type Asked, type FactorLogin, type SshFactor, credentialHash } from '../../held-logins/ssh-factor.ts'
import type { Decision } from '../../held-logins/waiting.ts'
import type { NewSession, SessionCause, SessionIdentity } from '../../sessions/service.ts'
import { plainText } from '../record/announcement.ts'
import { TEXTS, heldText } from '../record/texts.ts'
import type { Credential } from './credential.ts'

export interface FactorCheckDeps {
  readonly endpoint: NewSession['type']
  readonly person: UserId | undefined
  readonly clock: Clock
  readonly factor: SshFactor
  /** Owner of a registered key; null: a service key. */
  readonly ownerOfKey: (
    ctx: TenantContext,
    blob: Uint8Array,
  ) => Promise<{ readonly name: string; readonly owner: UserId | null; readonly byOwner: boolean } | undefined>
}

/** `waited`: policy may have changed since the credential was evaluated. */
export type FactorOutcome = 'passed' | 'waited' | AuthDecision

type Interactive = Extract<AuthAttempt, { method: 'keyboard-interactive' }>
type Ask = Interactive['prompt']
type Key = Extract<Credential, { method: 'publickey' }>

/** A proven key whose client is to ask its person. */
interface Pending {
  readonly ctx: TenantContext
  readonly target: LoginTarget
  readonly login: FactorLogin & { readonly person: UserId }
  readonly key: Key
  readonly takesCode: boolean
}

/** Time that the client may need after the decision. */
const SLACK_MS = 15_000

export class FactorCheck {
  readonly #deps: FactorCheckDeps
  readonly #connection: SshConnection
  readonly #left = new AbortController()
  #pending: Pending | undefined
  /** Request for approval of this connection that nobody has decided. */
  #held: { readonly ctx: TenantContext; readonly login: FactorLogin; readonly asked: Asked } | undefined
  #refusal: SessionCause | undefined
  #isProven = false
  /** Undefined while no factor has been proven, or where none is asked for. */
  #provenBy: SessionIdentity['factor']
  /** The password whose factor has been proven. */
  #password: FactorLogin | undefined

  constructor(deps: FactorCheckDeps, connection: SshConnection) {
    this.#deps = deps
    this.#connection = connection
  }

  /** Cause of the refusal, for the session's row. */
  get refusal(): SessionCause | undefined {
    return this.#refusal
  }

  /** True once a credential was right and only the factor was missing: no guessing. */
  get isProven(): boolean {
    return this.#isProven
  }

  /** How the second factor was proven; undefined where none is asked for. */
  get provenBy(): SessionIdentity['factor'] {
    return this.#provenBy
  }

  /** Account that proved the factor of a password, which names nobody itself. */
  async approver(): Promise<UserId | undefined> {
    return this.#password && (await this.#deps.factor.proverOf(this.#password))
  }

  /** The key whose factor the client's next keyboard-interactive attempt answers for. */
  get pendingKey(): Key | undefined {
    return this.#pending?.key
  }

  /** The connection has ended: nothing waits any more. */
  leave(): void {
    this.#left.abort()
    // A failure is repaired by the deadline.
    this.#withdraw().catch(() => undefined)
  }

  /** @param key proven by the transport and registered for the login */
  async ofKey(ctx: TenantContext, target: LoginTarget, username: string, key: Key): Promise<FactorOutcome> {
    const { factor, ownerOfKey } = this.#deps
    if (target.factorHours === null || this.#isVouchedFor) return 'passed'
    const registered = await ownerOfKey(ctx, key.blob)
    if (!registered) return { result: 'reject' }
    const { owner, name, byOwner } = registered
    // Any program can call itself a key that verifies its user: only its owner can vouch for that.
    if (key.userVerified && byOwner) {
      this.#provenBy = 'security-key'
      return 'passed'
    }
    if (owner === null) {
      return target.servicesNeedNoFactor
        ? 'passed'
        : this.#refuse('Service keys need a second factor here.', TEXTS.noFactor)
    }
    const credential = credentialHash('key', key.blob)
    const login = { ...this.#loginTo(target, username), person: owner, keyName: name, credential }
    if (await factor.hasWindow(login)) {
      this.#provenBy ??= 'earlier'
      return 'passed'
    }
    this.#isProven = true
    if (this.#deps.endpoint === 'web') return this.#refuse('The page is not signed in.', TEXTS.noFactor)
    const isOpenSsh = /^SSH-2\.0-OpenSSH[_-]/.test(this.#connection.clientIdent)
    // OpenSSH shows banners at once, so that nothing need be asked, which scripts could not answer.
    const takesCode = await factor.takesCode(owner)
    if (isOpenSsh && (!takesCode || (await factor.isWaiting(login)))) {
      return this.#hold(ctx, target, login, (text) => this.#connection.announce(text))
    }
    this.#pending = { ctx, target, login, key, takesCode }
    return { result: 'partial', methods: ['keyboard-interactive'] }
  }

  /** @param ask the client's keyboard-interactive; without it the text is a banner */
  async ofPassword(ctx: TenantContext, target: LoginTarget, username: string, ask?: Ask): Promise<FactorOutcome> {
    if (target.factorHours === null || this.#isVouchedFor) return 'passed'
    const credential = credentialHash('password', target.uid, username)
    const login = { ...this.#loginTo(target, username), person: undefined, keyName: '', credential }
    this.#password = login
    if (await this.#deps.factor.hasWindow(login)) {
      this.#provenBy ??= 'earlier'
      return 'passed'
    }
    this.#isProven = true
    if (this.#deps.endpoint === 'web') return this.#refuse('The page is not signed in.', TEXTS.noFactor)
    return this.#hold(ctx, target, login, async (text) => {
      if (ask) await ask('', text, [])
      else this.#connection.announce(text)
    })
  }

  /** Asks the person of the pending key through the client's keyboard-interactive. */
  async answer(attempt: Pick<Interactive, 'prompt'>): Promise<FactorOutcome> {
    const pending = this.#pending
    if (!pending) return { result: 'reject' }
    const { ctx, target, login, takesCode } = pending
    const ask = async (text: string): Promise<FactorOutcome | undefined> => {
      const [code = ''] = await attempt.prompt('', text, takesCode ? [{ text: TEXTS.codePrompt, echo: false }] : [])
      return code.trim() === '' ? undefined : this.#takeCode(pending, code.trim())
    }
    const outcome = await this.#hold(ctx, target, login, ask, takesCode)
    if (outcome === 'waited' || outcome === 'passed') this.#pending = undefined
    return outcome
  }

  /** The console's user behind a web terminal has proven a factor for its ticket. */
  get #isVouchedFor(): boolean {
    return this.#deps.person !== undefined
  }

  #loginTo(target: LoginTarget, username: string): Omit<FactorLogin, 'person' | 'keyName' | 'credential'> {
    const { address } = this.#connection.peer
    return { tenant: target.tenant, address, device: target.uid, username, hours: target.factorHours ?? 0 }
  }

  /**
   * Waits for the decision.
   * @param show shows the link, and may decide by itself
   * @param asksAnyway true: it is asked also where nothing more can wait, as it needs no approval
   */
  async #hold(
    ctx: TenantContext,
    target: LoginTarget,
    login: FactorLogin,
    show: (text: string) => Promise<FactorOutcome | undefined | void> | void,
    asksAnyway = false,
  ): Promise<FactorOutcome> {
    const { factor } = this.#deps
    const asking = await factor.ask(ctx, login, this.#held?.asked)
    if (asking.outcome === 'too-many' && asksAnyway) {
      try {
        return (await show(TEXTS.tooManyWaiting)) ?? this.#ended('too-many')
      } catch {
        return { result: 'reject' }
      }
    }
    if (asking.outcome !== 'waiting') return this.#ended(asking.outcome)
    const { asked } = asking
    if (this.#held?.asked.id !== asked.id) {
      // The client waits for one approval at a time.
      await this.#withdraw()
      this.#held = { ctx, login, asked }
    }
    const leftMs = asked.expiresAt - this.#deps.clock.now()
    this.#connection.allowLogin(leftMs + SLACK_MS)
    try {
      const shown = await show(this.#textOf(target, login, asked, leftMs))
      if (shown !== undefined) return shown
    } catch {
      // The client has cancelled the prompt, or the connection has ended.
      await this.#withdraw()
      return { result: 'reject' }
    }
    const decision = await factor.wait(login, asked, this.#left.signal)
    if (decision !== 'approved' && decision !== 'denied') await this.#withdraw()
    this.#held = undefined
    return this.#ended(decision)
  }

  async #withdraw(): Promise<void> {
    const held = this.#held
    this.#held = undefined
    if (held) await this.#deps.factor.withdraw(held.ctx, held.login, held.asked)
  }

  #ended(how: Decision | 'open' | 'too-many'): FactorOutcome {
    switch (how) {
      case 'open':
        this.#provenBy = 'earlier'
        return 'waited'
      case 'approved':
        this.#provenBy = 'approval'
        return 'waited'
      case 'denied':
        return this.#refuse('The login was denied.', TEXTS.denied)
      case 'too-many':
        return this.#refuse('Too many logins wait.', TEXTS.tooManyWaiting)
      case 'expired':
      case 'gone':
        return this.#refuse('Nobody approved the login in time.', TEXTS.notApproved)
    }
  }

  async #takeCode({ ctx, login }: Pending, code: string): Promise<FactorOutcome> {
    try {
      if (await this.#deps.factor.takeCode(ctx, login, code)) {
        this.#provenBy = 'code'
        return 'waited'
      }
      return { result: 'reject', message: TEXTS.wrongCode }
    } catch (error) {
      if (!(error instanceof BowlineError) || error.code !== 'TOO_MANY_REQUESTS') throw error
      return this.#refuse('Too many codes were wrong.', TEXTS.tooManyCodes)
    }
  }

  #textOf({ namespace, name }: LoginTarget, { address }: FactorLogin, { code, link }: Asked, leftMs: number): string {
    const device = plainText(`${namespace}.${name}`)
    return heldText({ device, address, code, link, seconds: Math.ceil(leftMs / 1_000) })
  }

  #refuse(cause: string, message: string): AuthDecision {
    this.#refusal = { by: 'policy', reason: 'second-factor', message: cause }
    return { result: 'disconnect', message }
  }
}
