// The firewall's part in a login: evaluates the rules, and logs the deciding one in the session's events. A denial is also
// audited, once per rule for consecutive attempts of a connection.
import type { TenantContext } from '../../context.ts'
import type { LoginTarget } from '../../devices/presence.ts'
import type { Connecting, Judge } from '../../firewall/rules.ts'
import type { KeyUse } from '../../public-keys/rules.ts'
import { noteRefusal } from '../../sessions/failed-logins.ts'
import type { SessionCause } from '../../sessions/service.ts'
import type { SessionRecord } from '../record/session-record.ts'
import { refusedByRule } from '../record/end-cause.ts'

export interface FirewallCheckDeps {
  /** Evaluates connections by the rules of a namespace. */
  readonly firewall: (ctx: TenantContext) => Promise<Judge>
}

export class FirewallCheck {
  readonly #deps: FirewallCheckDeps
  #refusal: SessionCause | undefined
  #loggedRule: number | undefined

  constructor(deps: FirewallCheckDeps) {
    this.#deps = deps
  }

  /** Set while the last attempt was denied. */
  get refusal(): SessionCause | undefined {
    return this.#refusal
  }

  /** @param row of the session; awaited only when a rule decided */
  async allows(
    ctx: TenantContext,
    row: Promise<SessionRecord>,
    { uid }: LoginTarget,
    login: KeyUse & Pick<Connecting, 'address' | 'person'>,
  ): Promise<boolean> {
    const judge = await this.#deps.firewall(ctx)
    const { allow, rule } = await judge(login)
    // The rule that denied an earlier attempt may have been deleted.
    this.#refusal = allow ? undefined : refusedByRule(rule)
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
}
