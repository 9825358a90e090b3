// The firewall's part in a login: evaluates the rules, and logs the deciding one in the session's events. A denial is also
// audited, once per rule for consecutive attempts of a connection.
import type { DeviceUid, UserId } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../../context.ts'
import type { LoginTarget } from '../../devices/presence.ts'
import type { Connecting, Grant, Judge } from '../../firewall/rules.ts'
import type { KeyUse } from '../../public-keys/rules.ts'
import { noteRefusal } from '../../sessions/failed-logins.ts'
import type { SessionCause } from '../../sessions/service.ts'
import type { SessionRecord } from '../record/session-record.ts'
import { refusedByRule } from '../record/end-cause.ts'
import { TEXTS } from '../record/texts.ts'

export interface FirewallCheckDeps {
  /** Evaluates connections by the rules of a namespace. */
  readonly firewall: (ctx: TenantContext) => Promise<Judge>
  /** Page of the console where a member asks for access to a device. */
  readonly requestLink: (device: DeviceUid) => string
  /** Access requests count here: they are of people, and not for programs with an API key of theirs. */
  readonly takesGrants: boolean
}

export class FirewallCheck {
  readonly #deps: FirewallCheckDeps
  #refusal: SessionCause | undefined
  #grant: Grant | undefined
  /** A rule about networks has refused in spite of one: asking again does not help. */
  #isGrantedElsewhere = false
  #loggedRule: number | undefined
  #loggedGrant: string | undefined

  constructor(deps: FirewallCheckDeps) {
    this.#deps = deps
  }

  /** Set while the last attempt was denied. */
  get refusal(): SessionCause | undefined {
    return this.#refusal
  }

  /** Access request by which alone the last attempt was allowed. */
  get grant(): Grant | undefined {
    return this.#grant
  }

  /** Text of a refusal. Whoever is known may ask for access. */
  textFor({ uid, takesRequests }: LoginTarget, person: UserId | undefined): string {
    const mayAsk = person !== undefined && takesRequests && this.#deps.takesGrants && !this.#isGrantedElsewhere
    return mayAsk ? TEXTS.mayAsk(this.#deps.requestLink(uid)) : TEXTS.refused
  }

  /** @param row of the session; awaited only when a rule or a grant decided */
  async allows(
    ctx: TenantContext,
    row: Promise<SessionRecord>,
    { uid }: LoginTarget,
    login: KeyUse & Pick<Connecting, 'address' | 'person'>,
  ): Promise<boolean> {
    const judge = await this.#deps.firewall(ctx)
    const { allow, rule, grant } = await judge({ ...login, uid: this.#deps.takesGrants ? uid : undefined })
    this.#grant = allow ? grant : undefined
    this.#isGrantedElsewhere = !allow && grant !== undefined
    // The rule that denied an earlier attempt may have been deleted.
    this.#refusal = allow ? undefined : refusedByRule(rule)
    if (allow && grant) await this.#noteGrant(row, grant)
    if (rule === undefined) return allow
    const record = await row
    if (this.#loggedRule === rule) return allow
    this.#loggedRule = rule
    record.note('firewall', 0, { rule, action: allow ? 'allow' : 'deny' })
    if (allow) return true
    const { address, user, device } = login
    await noteRefusal(ctx, { session: record.uid, address, rule, username: user, device: { uid, name: device.name } })
    return false
  }

  async #noteGrant(row: Promise<SessionRecord>, { id }: Grant): Promise<void> {
    const record = await row
    if (this.#loggedGrant === id) return
    this.#loggedGrant = id
    record.note('access-request', 0, { request: id })
  }
}
