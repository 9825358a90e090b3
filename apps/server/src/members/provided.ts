// Memberships that follow the groups of a sign-in provider. A membership that was made in another way is never touched,
// nor is the owner; while SCIM manages a namespace, it decides there alone.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { ProvisionedRole } from '../db/tables/scim-tables.ts'
import { type Standing, findStanding, insertProvided, listProvidedTenants, lockProvided } from './provided-store.ts'
import { endProvisioned, setProvisionedRoles } from './provisioned.ts'
import { lockNamespace } from '../membership/membership.ts'
import { insertMemberWithinLimit } from './store.ts'

/** What the groups of one sign-in give. */
export interface GivenRoles {
  /** Id of an OpenID provider; null: SAML. */
  readonly provider: string | null
  readonly roles: ReadonlyMap<TenantId, ProvisionedRole>
}

export type RoleOutcome = 'add' | 'change' | 'keep' | 'remove' | 'by-hand' | 'scim'

export interface PlannedRole {
  readonly tenant: TenantId
  /** Undefined when the groups give none. */
  readonly role: ProvisionedRole | undefined
  readonly outcome: RoleOutcome
}

/** What a sign-in would do to memberships; changes nothing. @param user undefined: somebody without an account */
export async function planRoles(
  db: Kysely<Schema>,
  user: UserId | undefined,
  given: GivenRoles,
): Promise<PlannedRole[]> {
  const planned: PlannedRole[] = []
  for (const tenant of await tenantsOf(db, user, given)) {
    const role = given.roles.get(tenant)
    const standing = await findStanding(db, { tenant, user, provider: given.provider })
    planned.push({ tenant, role, outcome: outcomeOf(standing, role) })
  }
  return planned
}

/**
 * Makes the memberships of a person follow their groups.
 * @param deps.db system connection, in a transaction of its own: namespaces are locked before accounts
 * @param email address of the account, for the audit log
 * @returns what has changed
 */
export async function followGroups(
  { db, clock, contextOf }: FollowDeps,
  { id: user, email }: { readonly id: UserId; readonly email: string },
  given: GivenRoles,
): Promise<PlannedRole[]> {
  const changed: PlannedRole[] = []
  for (const tenant of await tenantsOf(db, user, given)) {
    await lockNamespace(db, tenant)
    const role = given.roles.get(tenant)
    const standing = await findStanding(db, { tenant, user, provider: given.provider })
    const outcome = outcomeOf(standing, role)
    const ctx = { ...contextOf(tenant), db }
    if (outcome === 'remove') await endProvisioned(ctx, user)
    else if (outcome === 'change' && role) await setProvisionedRoles(ctx, [{ user, role }])
    else if (outcome === 'add' && role) {
      const added_at = new Date(clock.now())
      const member = { tenant_id: tenant, user_id: user, role, status: 'accepted' as const, added_at }
      // Somebody whom one namespace has no room for signs in to the others.
      if (!(await insertMemberWithinLimit(db, member))) continue
      await insertProvided(db, { tenant, user, provider: given.provider })
      await audit(ctx, 'member.add', user, { email, role })
    } else continue
    changed.push({ tenant, role, outcome })
  }
  return changed
}

/** Locks the namespaces that {@link followGroups} may change. @param db system connection, in a transaction */
export async function lockGiven(db: Kysely<Schema>, user: UserId, given: GivenRoles): Promise<readonly TenantId[]> {
  // Or another sign-in could add a namespace after this one has locked a later one: two would wait for each other.
  await lockProvided(db, user)
  const tenants = await tenantsOf(db, user, given)
  for (const tenant of tenants) await lockNamespace(db, tenant)
  return tenants
}

export interface FollowDeps {
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly contextOf: (tenant: TenantId) => TenantContext
}

function outcomeOf({ role: present, isProvided, hasScim }: Standing, wanted: ProvisionedRole | undefined): RoleOutcome {
  if (hasScim) return 'scim'
  if (present === null) return 'add'
  if (!isProvided || present === 'owner') return 'by-hand'
  if (wanted === undefined) return 'remove'
  return present === wanted ? 'keep' : 'change'
}

/** In the order of ids, in which all changes of memberships lock namespaces. */
async function tenantsOf(
  db: Kysely<Schema>,
  user: UserId | undefined,
  { provider, roles }: GivenRoles,
): Promise<TenantId[]> {
  const known = user === undefined ? [] : await listProvidedTenants(db, user, provider)
  return [...new Set([...known, ...roles.keys()])].toSorted()
}
