// SQL of billing accounts: the customers of namespaces and what was last read of their subscriptions. Webhooks, jobs and
// changes at the provider cross namespaces, so these run on the system connection.
import type { SubscriptionStatus } from '@bowline/contract/schemas/billing'
import type { TenantId } from '@bowline/contract/schemas/common'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { BillingAccountsTable } from '../db/tables/billing-tables.ts'
import type { JsonObject, Schema } from '../db/schema.ts'

export type BillingAccount = Selectable<BillingAccountsTable>

export async function findAccount(db: Kysely<Schema>, tenant: TenantId): Promise<BillingAccount | undefined> {
  return db.selectFrom('billing_accounts').selectAll().where('tenant_id', '=', tenant).executeTakeFirst()
}

export async function findAccountOf(db: Kysely<Schema>, customer: string): Promise<BillingAccount | undefined> {
  return db.selectFrom('billing_accounts').selectAll().where('customer_id', '=', customer).executeTakeFirst()
}

/** A page of accounts in order of their customers. */
export async function listAccounts(db: Kysely<Schema>, after: string, limit: number): Promise<BillingAccount[]> {
  return db
    .selectFrom('billing_accounts')
    .selectAll()
    .where('customer_id', '>', after)
    .orderBy('customer_id')
    .limit(limit)
    .execute()
}

/** @returns false when the namespace has a customer, or is gone */
export async function insertAccount(
  db: Kysely<Schema>,
  tenant: TenantId,
  customer: string,
  live: boolean,
): Promise<boolean> {
  const result = await db
    .insertInto('billing_accounts')
    .columns(['tenant_id', 'customer_id', 'live'])
    .expression((from) =>
      from
        .selectFrom('namespaces')
        .select(['tenant_id', sql<string>`${customer}`.as('customer_id'), sql<boolean>`${live}::boolean`.as('live')])
        .where('tenant_id', '=', tenant),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Begins a change at the provider, one at a time for each namespace.
 * @returns the number of the change; undefined while another is under way
 */
export async function beginChange(
  db: Kysely<Schema>,
  tenant: TenantId,
  { now, until }: { now: Date; until: Date },
): Promise<number | undefined> {
  const row = await db
    .updateTable('billing_accounts')
    .set((set) => ({ changes: set('changes', '+', 1), busy_until: until }))
    .where('tenant_id', '=', tenant)
    .where((where) => where.or([where('busy_until', 'is', null), where('busy_until', '<', now)]))
    .returning('changes')
    .executeTakeFirst()
  return row?.changes
}

export async function endChange(db: Kysely<Schema>, tenant: TenantId, change: number): Promise<void> {
  await db
    .updateTable('billing_accounts')
    .set({ busy_until: null })
    .where('tenant_id', '=', tenant)
    .where('changes', '=', change)
    .execute()
}

/** Begins to read the provider. @returns the number of the read; undefined without an account */
export async function beginRead(db: Kysely<Schema>, tenant: TenantId): Promise<number | undefined> {
  const row = await db
    .updateTable('billing_accounts')
    .set((set) => ({ reads: set('reads', '+', 1) }))
    .where('tenant_id', '=', tenant)
    .returning('reads')
    .executeTakeFirst()
  return row?.reads
}

/** State of a subscription as an account stores it. */
export interface AccountState {
  readonly subscription_id: string | null
  readonly status: SubscriptionStatus
  readonly end_at: Date | null
  readonly grace_until: Date | null
  readonly billed_devices: number | null
  readonly live: boolean | null
}

/** Number of accounts whose customers are known to be of the other mode. */
export async function countOfOtherMode(db: Kysely<Schema>, live: boolean): Promise<number> {
  const { count } = await db
    .selectFrom('billing_accounts')
    .select((all) => all.fn.countAll<string>().as('count'))
    .where('live', '=', !live)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Locks the namespace's row and then the account's: the order in which a removal takes them. */
export async function lockAccount(db: Kysely<Schema>, tenant: TenantId): Promise<BillingAccount | undefined> {
  await db.selectFrom('namespaces').select('tenant_id').where('tenant_id', '=', tenant).forNoKeyUpdate().execute()
  return db.selectFrom('billing_accounts').selectAll().where('tenant_id', '=', tenant).forUpdate().executeTakeFirst()
}

/** Whether the namespace has been deleted, and may be restored. Waits for whoever deletes it. */
export function isClosed(system: Kysely<Schema>, tenant: TenantId): Promise<boolean> {
  return system.transaction().execute(async (db) => {
    await db.selectFrom('namespaces').select('tenant_id').where('tenant_id', '=', tenant).forUpdate().execute()
    const closed = db.selectFrom('closed_namespaces').select('tenant_id').where('tenant_id', '=', tenant)
    return (await closed.executeTakeFirst()) !== undefined
  })
}

/**
 * Has the subscription of a deleted namespace ended, unless it is over.
 * @param db in a transaction that has locked the account
 */
export async function endWhileClosed(db: Kysely<Schema>, tenant: TenantId): Promise<void> {
  await sql`insert into billing_endings (subscription_id)
    select subscription_id from billing_accounts join closed_namespaces using (tenant_id)
      where tenant_id = ${tenant} and subscription_id is not null and status not in ('canceled', 'incomplete_expired')
    on conflict do nothing`.execute(db)
}

export async function storeState(
  db: Kysely<Schema>,
  tenant: TenantId,
  read: number,
  state: AccountState,
): Promise<void> {
  await db
    .updateTable('billing_accounts')
    .set({ ...state, newest_read: read })
    .where('tenant_id', '=', tenant)
    .execute()
}

export async function storeBilledDevices(db: Kysely<Schema>, tenant: TenantId, devices: number): Promise<void> {
  await db.updateTable('billing_accounts').set({ billed_devices: devices }).where('tenant_id', '=', tenant).execute()
}

/** Sets what the namespace itself tells of its subscription, and its device limit; undefined keeps the limit. */
export async function storePlan(
  db: Kysely<Schema>,
  tenant: TenantId,
  plan: { readonly billing: JsonObject; readonly max_devices: number | undefined },
): Promise<void> {
  await db
    .updateTable('namespaces')
    .set({ billing: plan.billing, ...(plan.max_devices === undefined ? {} : { max_devices: plan.max_devices }) })
    .where('tenant_id', '=', tenant)
    .execute()
}

/** A page of namespaces whose accepted devices are not those that are billed. */
export async function listMiscounted(
  db: Kysely<Schema>,
  statuses: readonly SubscriptionStatus[],
  after: TenantId | undefined,
  limit: number,
): Promise<TenantId[]> {
  const rows = await db
    .selectFrom('billing_accounts')
    .select('tenant_id')
    .where('status', 'in', statuses)
    .where('subscription_id', 'is not', null)
    .$if(after !== undefined, (query) => query.where('tenant_id', '>', after as TenantId))
    .where(
      sql<boolean>`billed_devices is distinct from (select count(*)::integer from devices
        where devices.tenant_id = billing_accounts.tenant_id and devices.status = 'accepted')`,
    )
    .orderBy('tenant_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.tenant_id)
}

export async function countAccepted(db: Kysely<Schema>, tenant: TenantId): Promise<number> {
  const { count } = await db
    .selectFrom('devices')
    .select((all) => all.fn.countAll<string>().as('count'))
    .where('tenant_id', '=', tenant)
    .where('status', '=', 'accepted')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Name of a namespace with the address of its owner. */
export async function findPayer(
  db: Kysely<Schema>,
  tenant: TenantId,
): Promise<{ name: string; email: string } | undefined> {
  return db
    .selectFrom('namespaces')
    .innerJoin('users', 'users.id', 'namespaces.owner')
    .select(['namespaces.name', 'users.email'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirst()
}
