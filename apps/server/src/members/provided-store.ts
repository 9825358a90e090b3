// SQL of memberships that the groups of a sign-in provider have made. System connection.
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** @param provider id of an OpenID provider; null: SAML @returns namespaces, in the order in which they are locked */
export async function listProvidedTenants(
  db: Kysely<Schema>,
  user: UserId,
  provider: string | null,
): Promise<TenantId[]> {
  const rows = await db
    .selectFrom('provided_members')
    .select('tenant_id')
    .where('user_id', '=', user)
    .where('provider_id', 'is not distinct from', provider)
    .orderBy('tenant_id')
    .execute()
  return rows.map(({ tenant_id: tenant }) => tenant)
}

/**
 * Makes other sign-ins of a person wait until the transaction ends: none of them may add to the namespaces that this one
 * has found. Taken before namespaces are locked.
 */
export async function lockProvided(db: Kysely<Schema>, user: UserId): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('provided_members ' || ${user}::text, 0))`.execute(db)
}

/** What decides about a membership. */
export interface Standing {
  /** Null without a membership. */
  readonly role: Role | null
  /** True if groups of this provider made it. */
  readonly isProvided: boolean
  /** True while SCIM manages the namespace. */
  readonly hasScim: boolean
}

/** @param user undefined: somebody who has no account yet */
export async function findStanding(
  db: Kysely<Schema>,
  {
    tenant,
    user,
    provider,
  }: { readonly tenant: TenantId; readonly user: UserId | undefined; readonly provider: string | null },
): Promise<Standing> {
  const { rows } = await sql<Standing>`
    select
      (select role from members where tenant_id = ${tenant} and user_id = ${user ?? null}) as role,
      exists (select from provided_members where tenant_id = ${tenant} and user_id = ${user ?? null}
        and provider_id is not distinct from ${provider}::uuid) as "isProvided",
      exists (select from scim_settings where tenant_id = ${tenant} and enabled) as "hasScim"`.execute(db)
  return rows[0] ?? { role: null, isProvided: false, hasScim: false }
}

export async function insertProvided(
  db: Kysely<Schema>,
  { tenant, user, provider }: { readonly tenant: TenantId; readonly user: UserId; readonly provider: string | null },
): Promise<void> {
  await db.insertInto('provided_members').values({ tenant_id: tenant, user_id: user, provider_id: provider }).execute()
}
