// The logins that live on this node, judged again whenever policy changes: what it no longer allows ends within a second,
// unless the namespace lets running sessions go on. A change is heard as an event of the namespace, so that with several
// nodes each judges its own.
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { TenantContext } from '../../context.ts'
import type { ForwardingPolicy, LoginTarget } from '../../devices/presence.ts'
import type { Attempt, Decision } from '../../firewall/rules.ts'
import type { Log } from '../../platform/log.ts'
import type { KeyUse } from '../../public-keys/rules.ts'
import type { SessionCause } from '../../sessions/service.ts'

/** Whether a login may forward ports, sockets, its agent and displays: the namespace can change its mind. */
export interface ForwardingLeave {
  policy: ForwardingPolicy
  /** Whether it has asked for any. */
  used: boolean
}

export interface LiveLogin {
  readonly tenant: TenantId
  readonly device: DeviceUid
  /** Account on the device. */
  readonly user: string
  readonly address: string
  /** Wire encoding of the key that it was opened with; undefined for a password, which the device judges. */
  readonly key: Uint8Array | undefined
  /** Who has opened it from the console; undefined for SSH clients, which name no person. */
  readonly person: UserId | undefined
  readonly forwarding: ForwardingLeave
  /** Ends the connection. */
  end(cause: SessionCause): void
}

export interface LiveLoginsDeps {
  readonly resolve: (target: { uid: DeviceUid }) => Promise<LoginTarget | undefined>
  readonly contextOf: (target: LoginTarget) => TenantContext
  readonly firewall: (ctx: TenantContext) => Promise<(attempt: Attempt) => Decision>
  readonly keyMayLogIn: (ctx: TenantContext, blob: Uint8Array, use: KeyUse) => Promise<boolean>
  /** Whether a key's owner has left the namespace. */
  readonly keyIsDisabled: (ctx: TenantContext, blob: Uint8Array) => Promise<boolean>
  readonly isMember: (ctx: TenantContext, person: UserId) => Promise<boolean>
  /** The namespaces of some logins in which a person, or the owner of a key, is no member any more. */
  readonly findFormerMembers: (logins: readonly LiveLogin[]) => Promise<Iterable<TenantId>>
  readonly clock: Clock
  readonly log: Log
}

export interface LiveLogins {
  /** Rises with every change: a login that was judged before one must be judged again. */
  readonly changes: number
  /**
   * A login has been accepted.
   * @param since {@link changes} from before it was judged
   * @returns tells that it is over
   */
  add(login: LiveLogin, since: number): () => void
  /** Policy of the namespace has changed, or of one of its devices. */
  review(tenant: TenantId, device?: DeviceUid): void
  /**
   * Looks for people who have left without this process having been told: by the command line, on another node, or with
   * their account. Rejects when the database does not answer.
   */
  lookForLeavers(): Promise<void>
}

/** After a failure of the database the question stays open: it is asked again. */
const RETRY_MS = 1_000

export function createLiveLogins(deps: LiveLoginsDeps): LiveLogins {
  const logins = new Map<TenantId, Set<LiveLogin>>()
  /** Namespaces to look at, and of which devices; undefined means all of them. */
  const due = new Map<TenantId, Set<DeviceUid> | undefined>()
  const underWay = new Set<TenantId>()
  let changes = 0

  /** Looks at logins of a namespace, one device after the other. */
  async function look(tenant: TenantId, devices: ReadonlySet<DeviceUid> | undefined): Promise<void> {
    const byDevice = Map.groupBy(logins.get(tenant) ?? [], (login) => login.device)
    let judge: ((attempt: Attempt) => Decision) | undefined
    for (const [uid, ofDevice] of byDevice) {
      if (devices && !devices.has(uid)) continue
      const target = await deps.resolve({ uid })
      for (const login of ofDevice) login.forwarding.policy = target?.forwarding ?? 'off'
      const ctx = target && deps.contextOf(target)
      if (ctx && target.endsDisallowed) judge ??= await deps.firewall(ctx)
      for (const login of ofDevice) {
        const cause = target && ctx ? await objection(ctx, target, judge, login) : DEVICE_GONE
        if (cause) login.end(cause)
      }
    }
  }

  /** Whoever has left goes at once; other changes end running sessions where the namespace wants that: with a judge. */
  async function objection(
    ctx: TenantContext,
    target: LoginTarget,
    judge: ((attempt: Attempt) => Decision) | undefined,
    login: LiveLogin,
  ): Promise<SessionCause | undefined> {
    if (login.person !== undefined && !(await deps.isMember(ctx, login.person))) return PERSON_LEFT
    if (login.key && (await deps.keyIsDisabled(ctx, login.key))) return OWNER_LEFT
    return target.endsDisallowed && judge ? refusal(ctx, target, judge, login) : undefined
  }

  async function refusal(
    ctx: TenantContext,
    target: LoginTarget,
    judge: (attempt: Attempt) => Decision,
    { user, address, key, forwarding }: LiveLogin,
  ): Promise<SessionCause | undefined> {
    if (target.status !== 'accepted') return DEVICE_GONE
    const device = { name: target.name, tags: target.tags }
    const { allow, rule } = judge({ address, user, device })
    if (!allow) return refusedByRule(rule)
    if (forwarding.used && forwarding.policy !== 'allowed') return FORWARDING_WITHDRAWN
    return key && !(await deps.keyMayLogIn(ctx, key, { user, device })) ? KEY_WITHDRAWN : undefined
  }

  async function work(tenant: TenantId): Promise<void> {
    underWay.add(tenant)
    while (due.has(tenant)) {
      const devices = due.get(tenant)
      due.delete(tenant)
      try {
        await look(tenant, devices)
      } catch (error) {
        deps.log.error('session.error', { tenant, err: error })
        due.set(tenant, undefined)
        await new Promise<void>((resolve) => deps.clock.after(RETRY_MS, resolve))
        if (!logins.has(tenant)) due.delete(tenant)
      }
    }
    underWay.delete(tenant)
  }

  function review(tenant: TenantId, device?: DeviceUid): void {
    changes += 1
    if (!logins.has(tenant)) return
    if (!due.has(tenant)) due.set(tenant, device && new Set([device]))
    else if (device) due.get(tenant)?.add(device)
    else due.set(tenant, undefined)
    if (!underWay.has(tenant)) void work(tenant)
  }

  return {
    get changes() {
      return changes
    },
    add(login, since) {
      const ofTenant = logins.get(login.tenant) ?? new Set()
      logins.set(login.tenant, ofTenant.add(login))
      // The ticket of a person may be older than the judgement.
      if (since !== changes || login.person !== undefined) review(login.tenant, login.device)
      return () => {
        ofTenant.delete(login)
        if (ofTenant.size === 0 && logins.get(login.tenant) === ofTenant) logins.delete(login.tenant)
      }
    },
    review,
    async lookForLeavers() {
      const live = [...logins.values()].flatMap((ofTenant) => [...ofTenant])
      if (live.length === 0) return
      for (const tenant of await deps.findFormerMembers(live)) review(tenant)
    },
  }
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
  message: 'The owner of the public key is no member of the namespace any more.',
}
const PERSON_LEFT: SessionCause = {
  by: 'policy',
  reason: 'member-removed',
  message: 'The person is no member of the namespace any more.',
}
const FORWARDING_WITHDRAWN: SessionCause = {
  by: 'policy',
  reason: 'forwarding',
  message: 'Forwarding has been switched off in the namespace.',
}

/** For the row; the person is told less. */
export function refusedByRule(rule: number | undefined): SessionCause {
  return { by: 'policy', reason: 'firewall', message: `Firewall rule ${rule} refuses the connection.` }
}
