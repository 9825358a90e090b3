// People of the whole instance, for its administrators.
import { fail } from '@bowline/contract/errors'
import type { Input } from '@bowline/contract/operation'
import type { administration } from '@bowline/contract/operations/instance/administration'
import type { DescribedPerson, ListedPerson } from '@bowline/contract/schemas/instance/administration'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { auditInstance } from '../audit/service.ts'
import type { Schema } from '../db/schema.ts'
import type { Listing } from '../db/lists/listing.ts'
import { setInstanceAdmin } from '../users/administrators.ts'
import { disableAccount, enableAccount, endSignInsOf } from '../users/disabling.ts'
import { type Account, setMaxNamespaces } from '../users/service.ts'
import { type AdministrationDeps, type By, administratorOf, auditOrigin } from './deps.ts'
import { type PersonRow, countOfPerson, listMembershipsOf, listPeopleRows, readPerson } from './people-store.ts'

/** A page of the people of the instance. */
export async function listPeople(
  { system }: Pick<AdministrationDeps, 'system'>,
  { page, per_page: limit, ...query }: Input<typeof administration.listPeople>['query'],
): Promise<Listing<ListedPerson>> {
  const { rows, total } = await listPeopleRows(system, query, { limit, offset: (page - 1) * limit })
  return { items: rows.map((row) => toListed(row)), total }
}

/** One person with counts. @throws {BowlineError} NOT_FOUND */
export async function describePerson(
  { system, clock }: Pick<AdministrationDeps, 'system' | 'clock'>,
  id: UserId,
): Promise<DescribedPerson> {
  const row = (await readPerson(system, id)) ?? fail('NOT_FOUND', { what: 'The user' })
  const counts = await countOfPerson(system, id, new Date(clock.now()))
  return {
    ...toListed(row),
    ...counts,
    memberships: await listMembershipsOf(system, id),
    has_password: row.password_hash !== null,
    max_namespaces: row.max_namespaces,
  }
}

function toListed(row: PersonRow): ListedPerson {
  return {
    id: row.id,
    name: row.name ?? '',
    username: row.username ?? '',
    email: row.email,
    state: row.status,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    administrator: row.is_instance_admin,
    mfa: row.mfa_enabled,
    namespaces: row.namespaces,
    created_at: row.created_at.toISOString(),
    last_login: row.last_login?.toISOString() ?? null,
  }
}

/**
 * Disables an account: everything that it can be signed in to by ends, and so do its SSH sessions.
 * @throws {BowlineError} NOT_FOUND; OWN_ACCOUNT; LAST_ADMINISTRATOR; ACCOUNT_UNFINISHED; INSTANCE_ADMIN_REQUIRED
 */
export async function disablePerson(deps: AdministrationDeps, by: By, person: Account): Promise<void> {
  const changed = await deps.system.transaction().execute(async (db) => {
    if (!(await disableAccount(db, deps, administratorOf(by), person.id))) return false
    await auditInstance(db, auditOrigin(by), 'account.disable', person.id, { username: person.username })
    return true
  })
  if (changed) await reviewNamespacesOf(deps, by, person.id)
}

/** Enables a disabled account. @throws {BowlineError} NOT_FOUND; INSTANCE_ADMIN_REQUIRED */
export async function enablePerson(deps: AdministrationDeps, by: By, person: Account): Promise<void> {
  const changed = await deps.system.transaction().execute(async (db) => {
    if (!(await enableAccount(db, deps, administratorOf(by), person.id))) return false
    await auditInstance(db, auditOrigin(by), 'account.enable', person.id, { username: person.username })
    return true
  })
  // Consoles show that the keys work again.
  if (changed) await reviewNamespacesOf(deps, by, person.id)
}

/** Ends all sign-ins of a person. @throws {BowlineError} NOT_FOUND; INSTANCE_ADMIN_REQUIRED */
export async function endSignIns(deps: AdministrationDeps, by: By, person: Account): Promise<void> {
  await deps.system.transaction().execute(async (db) => {
    await endSignInsOf(db, deps, administratorOf(by), person.id)
    await auditInstance(db, auditOrigin(by), 'account.sign-out', person.id, { username: person.username })
  })
}

/** @throws {BowlineError} NOT_FOUND; OWN_ACCOUNT; LAST_ADMINISTRATOR; ACCOUNT_UNFINISHED; INSTANCE_ADMIN_REQUIRED */
export async function setAdministrator(
  { system, clock }: Pick<AdministrationDeps, 'system' | 'clock'>,
  by: By,
  person: Account,
  isAdmin: boolean,
): Promise<void> {
  await system.transaction().execute(async (db) => {
    if (!(await setInstanceAdmin(db, clock, person.id, isAdmin, administratorOf(by)))) return
    const details = { username: person.username, administrator: isAdmin }
    await auditInstance(db, auditOrigin(by), 'account.administrator', person.id, details)
  })
}

/** Sets how many namespaces a person may own. @param most -1 for any number */
export async function limitNamespaces(
  { system }: Pick<AdministrationDeps, 'system'>,
  by: By,
  person: Account,
  most: number,
): Promise<void> {
  await system.transaction().execute(async (db) => {
    await setMaxNamespaces(db, person.id, most)
    const details = { before: { max_namespaces: person.maxNamespaces }, after: { max_namespaces: most } }
    await auditInstance(db, auditOrigin(by), 'account.limit', person.id, details)
  })
}

/** Has sessions and tunnels of the person's namespaces judged again, at once in this process. */
async function reviewNamespacesOf(deps: AdministrationDeps, by: By, id: UserId): Promise<void> {
  for (const tenant of await tenantsOf(deps.system, id)) {
    deps.contextOf(tenant, by.actor, by.origin.source).emit({ type: 'policy.changed' })
    await deps.reviewTunnels(tenant)
  }
}

async function tenantsOf(system: Kysely<Schema>, id: UserId): Promise<TenantId[]> {
  return (await listMembershipsOf(system, id)).map(({ tenant_id: tenant }) => tenant)
}
