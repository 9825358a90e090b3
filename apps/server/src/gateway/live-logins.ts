// The logins that live on this node, judged again whenever policy changes: what it no longer allows ends within a second,
// unless the namespace lets running sessions go on. A change is heard as an event of the namespace, so that with several
// nodes each judges its own.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../context.ts'
import type { ForwardingPolicy, LoginTarget } from '../devices/presence.ts'
import type { Attempt, Decision } from '../firewall/rules.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { KeyUse } from '../public-keys/rules.ts'
import type { SessionCause } from '../sessions/service.ts'

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
  readonly forwarding: ForwardingLeave
  /** Ends the connection. */
  end(cause: SessionCause): void
}

export interface LiveLoginsDeps {
  readonly resolve: (target: { uid: DeviceUid }) => Promise<LoginTarget | undefined>
  readonly contextOf: (target: LoginTarget) => TenantContext
  readonly firewall: (ctx: TenantContext) => Promise<(attempt: Attempt) => Decision>
  readonly keyMayLogIn: (ctx: TenantContext, blob: Uint8Array, use: KeyUse) => Promise<boolean>
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
      if (target && !target.endsDisallowed) continue
      const ctx = target && deps.contextOf(target)
      if (ctx) judge ??= await deps.firewall(ctx)
      for (const login of ofDevice) {
        const cause = target && ctx && judge ? await refusal(ctx, target, judge, login) : DEVICE_GONE
        if (cause) login.end(cause)
      }
    }
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
      if (since !== changes) review(login.tenant, login.device)
      return () => {
        ofTenant.delete(login)
        if (ofTenant.size === 0 && logins.get(login.tenant) === ofTenant) logins.delete(login.tenant)
      }
    },
    review,
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

const FORWARDING_WITHDRAWN: SessionCause = {
  by: 'policy',
  reason: 'forwarding',
  message: 'Forwarding has been switched off in the namespace.',
}

/** For the row; the person is told less. */
export function refusedByRule(rule: number | undefined): SessionCause {
  return { by: 'policy', reason: 'firewall', message: `Firewall rule ${rule} refuses the connection.` }
}
