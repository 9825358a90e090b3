// Whether somebody may join a terminal: everything that is asked before they may open one of their own, except for a
// credential of the device, in whose place the consent of the person in the terminal stands.
import { type Role, roleMay } from '@bowline/contract/roles'
import type { DeviceUid, UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { TenantContext } from '../../context.ts'
import type { LoginTarget } from '../../devices/presence.ts'
import type { Judge } from '../../firewall/rules.ts'
import type { SessionCause } from '../../sessions/service.ts'
import type { AcceptedLogin } from '../login/accepted-login.ts'
import { JOINING_OFF } from '../login/live-logins.ts'
import { type Guest, GUEST_ENDS } from './guest.ts'

export interface GuestChecksDeps {
  readonly resolve: (target: { uid: DeviceUid }) => Promise<LoginTarget | undefined>
  readonly firewall: (ctx: TenantContext) => Promise<Judge>
  /** Role of a member; undefined for others, and while the account is disabled. */
  readonly roleOf: (ctx: TenantContext, person: UserId) => Promise<Role | undefined>
  /** Whether a sign-in has neither been ended nor expired. */
  readonly isSignInAlive: (person: UserId, id: string) => Promise<boolean>
  readonly clock: Clock
}

/**
 * Why a guest may not be in a terminal; undefined when they may. Rejects when the database does not answer.
 * @param login that of the terminal
 */
export async function refusalOf(
  deps: GuestChecksDeps,
  { ctx, target: opened, user }: Pick<AcceptedLogin, 'ctx' | 'target' | 'user'>,
  guest: Guest,
): Promise<SessionCause | undefined> {
  if (!(await isSignedIn(deps, guest))) return GUEST_ENDS.signedOut
  const role = await deps.roleOf(ctx, guest.person)
  if (!role || !roleMay(role, 'deviceConnect')) return GUEST_ENDS.refused
  const target = await deps.resolve({ uid: opened.uid })
  if (target?.tenant !== opened.tenant || target.status !== 'accepted' || target.disabled || target.lapsed) {
    return GUEST_ENDS.refused
  }
  if (!target.joining) return JOINING_OFF
  const judge = await deps.firewall(ctx)
  const device = { name: target.name, tags: target.tags }
  const { allow } = await judge({ address: guest.address, user, person: guest.person, device })
  return allow ? undefined : GUEST_ENDS.refused
}

/** Whether the sign-in of a guest still lets them call. Rejects when the database does not answer. */
export async function isSignedIn(
  { isSignInAlive, clock }: Pick<GuestChecksDeps, 'isSignInAlive' | 'clock'>,
  { person, signIn }: Pick<Guest, 'person' | 'signIn'>,
): Promise<boolean> {
  return (signIn.endsAt ?? Infinity) > clock.now() && (await isSignInAlive(person, signIn.id))
}
