// Active logins of this node, evaluated again whenever policy changes: disallowed ones end within a second, unless the
// namespace lets running sessions continue. Changes arrive as events of the namespace, so that each of several nodes
// evaluates its own.
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { TenantContext } from '../../context.ts'
import type { ForwardingPolicy, LoginTarget } from '../../devices/presence.ts'
import type { Grant, Judge } from '../../firewall/rules.ts'
import type { Log } from '../../platform/log.ts'
import type { KeyUse } from '../../public-keys/rules.ts'
import { grantOver, refusedByRule } from '../record/end-cause.ts'
import type { SessionCause } from '../../sessions/service.ts'

/** A login's permission to forward ports, sockets, its agent and displays; the namespace can change it. */
export interface ForwardingState {
  policy: ForwardingPolicy
  /** Set once it has requested any. */
  used: boolean
}

export interface LiveLogin {
  readonly tenant: TenantId
  readonly device: DeviceUid
  /** Account on the device. */
  readonly user: string
  readonly address: string
  /** Wire encoding of its key; undefined for a password, which the device checks. */
  readonly key: Uint8Array | undefined
  /** The console's user who opened it; undefined for SSH clients, which name no user. */
  readonly person: UserId | undefined
  /** Account that the firewall's rules about people know: that of the console, the key's owner, or who approved the login. */
  readonly subject: UserId | undefined
  /** Access request by which alone the firewall lets it in; it is reviewed when that expires. */
  grant?: Grant | undefined
  /** Access requests count for it: not for the place of somebody who has joined, nor for programs. */
  readonly takesGrants: boolean
  readonly forwarding: ForwardingState
  /** It is the place of somebody in another person's terminal. */
  readonly joins?: true
  /** Ends the connection. */
  end(cause: SessionCause): void
}

export interface LiveLoginsDeps {
  readonly resolve: (target: { uid: DeviceUid }) => Promise<LoginTarget | undefined>
  readonly contextOf: (target: LoginTarget) => TenantContext
  readonly firewall: (ctx: TenantContext) => Promise<Judge>
  readonly keyMayLogIn: (ctx: TenantContext, blob: Uint8Array, use: KeyUse) => Promise<boolean>
  /** Checks whether a key's owner has left the namespace or is disabled. */
  readonly keyIsDisabled: (ctx: TenantContext, blob: Uint8Array) => Promise<boolean>
  readonly isMember: (ctx: TenantContext, person: UserId) => Promise<boolean>
  /** Finds namespaces of logins that are disabled, or whose user or key owner is no longer a member or is disabled. */
  readonly findLeavers: (logins: readonly LiveLogin[]) => Promise<Iterable<TenantId>>
  readonly clock: Clock
  readonly log: Log
}

export interface LiveLogins {
  /** Policy change counter: a login evaluated before a change must be evaluated again. */
  readonly changes: number
  /**
   * Registers an accepted login.
   * @param since {@link changes} from before it was evaluated
   * @returns unregister
   */
  add(login: LiveLogin, since: number): () => void
  /** Evaluates logins again after a policy change of the namespace or of one of its devices. */
  review(tenant: TenantId, device?: DeviceUid): void
  /** Ends all logins of deleted namespaces. */
  endNamespaces(tenants: ReadonlySet<TenantId>): void
  /** Reviews every login, after changes may have been missed. */
  reviewAll(): void
  /**
   * Finds users who have left without an event in this process: by the command line, on another node, or with their
   * account. Rejects when the database does not answer.
   */
  reviewLeavers(): Promise<void>
}

/** Delay before a review is retried after a database failure. */
const RETRY_MS = 1_000

export function createLiveLogins(deps: LiveLoginsDeps): LiveLogins {
  const logins = new Map<TenantId, Set<LiveLogin>>()
  /** Namespaces to review with their devices; undefined: all devices. */
  const due = new Map<TenantId, Set<DeviceUid> | undefined>()
  const inProgress = new Set<TenantId>()
  /** Cancel the reviews at the end of grants. */
  const expiries = new Map<LiveLogin, () => void>()
  let changes = 0

  /** Reviews logins of a namespace, one device after the other. */
  async function reviewNow(tenant: TenantId, devices: ReadonlySet<DeviceUid> | undefined): Promise<void> {
    const byDevice = Map.groupBy(logins.get(tenant) ?? [], (login) => login.device)
    let evaluate: Judge | undefined
    for (const [uid, ofDevice] of byDevice) {
      if (devices && !devices.has(uid)) continue
      const target = await deps.resolve({ uid })
      for (const login of ofDevice) login.forwarding.policy = target?.forwarding ?? 'off'
      const ctx = target && deps.contextOf(target)
      const isAsked = target?.endsDisallowed === true || ofDevice.some(({ grant }) => grant)
      if (ctx && isAsked) evaluate ??= await deps.firewall(ctx)
      for (const login of ofDevice) {
        const cause = target && ctx ? await findEndCause(ctx, target, evaluate, login) : DEVICE_GONE
        if (cause) login.end(cause)
      }
    }
  }

  /** A disabled namespace, removed members and disabled accounts are dropped at once; other changes end sessions only if the namespace enables it, with `evaluate` set. */
  async function findEndCause(
    ctx: TenantContext,
    target: LoginTarget,
    evaluate: Judge | undefined,
    login: LiveLogin,
  ): Promise<SessionCause | undefined> {
    if (target.disabled) return NAMESPACE_DISABLED
    if (login.joins && !target.joining) return JOINING_OFF
    if (login.person !== undefined && !(await deps.isMember(ctx, login.person))) return PERSON_LEFT
    if (login.key && (await deps.keyIsDisabled(ctx, login.key))) return OWNER_LEFT
    if (!evaluate) return undefined
    if (target.endsDisallowed) return refusal(ctx, target, evaluate, login)
    // Sessions that the rules let in go on; a grant is for its time only.
    return login.grant ? firewallRefusal(target, evaluate, login) : undefined
  }

  /** Notes by what it is let in now. */
  async function firewallRefusal(
    target: LoginTarget,
    evaluate: Judge,
    login: LiveLogin,
  ): Promise<SessionCause | undefined> {
    const { address, user, subject: person, takesGrants } = login
    const device = { name: target.name, tags: target.tags }
    const uid = takesGrants ? target.uid : undefined
    const { allow, rule, grant } = await evaluate({ address, user, person, device, uid })
    if (!allow) return login.grant && !grant ? grantOver(login.grant, deps.clock.now()) : refusedByRule(rule)
    login.grant = grant
    watchGrant(login)
    return undefined
  }

  /** Has the login reviewed when its grant expires. */
  function watchGrant(login: LiveLogin): void {
    expiries.get(login)?.()
    expiries.delete(login)
    if (!login.grant || !logins.get(login.tenant)?.has(login)) return
    // A timer may fire a little early.
    const delayMs = Math.max(1, login.grant.expiresAt - deps.clock.now())
    expiries.set(
      login,
      deps.clock.after(delayMs, () => review(login.tenant, login.device)),
    )
  }

  async function refusal(
    ctx: TenantContext,
    target: LoginTarget,
    evaluate: Judge,
    login: LiveLogin,
  ): Promise<SessionCause | undefined> {
    if (target.status !== 'accepted') return DEVICE_GONE
    const refused = await firewallRefusal(target, evaluate, login)
    if (refused) return refused
    const { user, key, forwarding } = login
    const device = { name: target.name, tags: target.tags }
    if (forwarding.used && forwarding.policy !== 'allowed') return FORWARDING_WITHDRAWN
    return key && !(await deps.keyMayLogIn(ctx, key, { user, device })) ? KEY_WITHDRAWN : undefined
  }

  async function work(tenant: TenantId): Promise<void> {
    inProgress.add(tenant)
    while (due.has(tenant)) {
      const devices = due.get(tenant)
      due.delete(tenant)
      try {
        await reviewNow(tenant, devices)
      } catch (error) {
        deps.log.error('session.error', { tenant, err: error })
        due.set(tenant, undefined)
        await new Promise<void>((resolve) => deps.clock.after(RETRY_MS, resolve))
        if (!logins.has(tenant)) due.delete(tenant)
      }
    }
    inProgress.delete(tenant)
  }

  function review(tenant: TenantId, device?: DeviceUid): void {
    changes += 1
    if (!logins.has(tenant)) return
    if (!due.has(tenant)) due.set(tenant, device && new Set([device]))
    else if (device) due.get(tenant)?.add(device)
    else due.set(tenant, undefined)
    if (!inProgress.has(tenant)) void work(tenant)
  }

  return {
    get changes() {
      return changes
    },
    add(login, since) {
      const ofTenant = logins.get(login.tenant) ?? new Set()
      logins.set(login.tenant, ofTenant.add(login))
      watchGrant(login)
      // A console user's ticket may be older than the evaluation.
      if (since !== changes || login.person !== undefined) review(login.tenant, login.device)
      return () => {
        ofTenant.delete(login)
        expiries.get(login)?.()
        expiries.delete(login)
        if (ofTenant.size === 0 && logins.get(login.tenant) === ofTenant) logins.delete(login.tenant)
      }
    },
    review,
    endNamespaces(tenants) {
      changes += 1
      for (const tenant of tenants) for (const login of logins.get(tenant) ?? []) login.end(NAMESPACE_REMOVED)
    },
    reviewAll() {
      for (const tenant of logins.keys()) review(tenant)
    },
    async reviewLeavers() {
      const live = [...logins.values()].flatMap((ofTenant) => [...ofTenant])
      if (live.length === 0) return
      for (const tenant of await deps.findLeavers(live)) review(tenant)
    },
  }
}

const NAMESPACE_DISABLED: SessionCause = {
  by: 'admin',
  reason: 'namespace-disabled',
  message: 'The namespace has been disabled by an administrator of this server.',
}
const NAMESPACE_REMOVED: SessionCause = {
  by: 'policy',
  reason: 'namespace-removed',
  message: 'The namespace has been deleted.',
}
const DEVICE_GONE: SessionCause = {
  by: 'policy',
  reason: 'device',
  message: 'The device is no longer accepted in the namespace.',
}
const KEY_WITHDRAWN: SessionCause = {
  by: 'policy',
  reason: 'public-key',
  message: 'The public key may no longer be used for this login.',
}

const OWNER_LEFT: SessionCause = {
  by: 'policy',
  reason: 'member-removed',
  message: 'The owner of the public key is no longer a member of the namespace.',
}
const PERSON_LEFT: SessionCause = {
  by: 'policy',
  reason: 'member-removed',
  message: 'The person is no longer a member of the namespace.',
}
/** Also before somebody joins. */
export const JOINING_OFF: SessionCause = {
  by: 'policy',
  reason: 'join-off',
  message: 'Joining the terminals of others has been switched off in the namespace.',
}
const FORWARDING_WITHDRAWN: SessionCause = {
  by: 'policy',
  reason: 'forwarding',
  message: 'Forwarding has been switched off in the namespace.',
}
