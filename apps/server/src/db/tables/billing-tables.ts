// Kysely types of the tables of billing: a part of schema.ts, with its rules.
import type { SubscriptionStatus } from '@bowline/contract/schemas/billing'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

export interface BillingAccountsTable {
  tenant_id: TenantId
  customer_id: string
  subscription_id: string | null
  /** Customer of live mode, not of test mode; null: not known yet. */
  live: boolean | null
  status: Generated<SubscriptionStatus>
  end_at: Date | null
  grace_until: Date | null
  /** Devices that the provider bills; null: unknown. */
  billed_devices: number | null
  /** Reads of the provider that have begun. */
  reads: Generated<number>
  /** The read that the row comes from. */
  newest_read: Generated<number>
  /** Changes at the provider that have begun. */
  changes: Generated<number>
  busy_until: Date | null
  created_at: Generated<Date>
}

export interface BillingEventsTable {
  id: string
  type: string
  customer_id: string
  created_at: Date
  received_at: Date
  /** Null: applied. */
  due_at: Date | null
  attempts: Generated<number>
  failure: Generated<string>
}

export interface BillingDifferencesTable {
  id: Generated<string>
  found_at: Date
  /** '' for a customer that belongs to no namespace. */
  namespace_id: string
  customer_id: string
  field: string
  ours: string
  theirs: string
}

/** Written by a trigger when a billing account is deleted. */
export interface BillingEndingsTable {
  subscription_id: string
  due_at: Generated<Date>
  attempts: Generated<number>
  failure: Generated<string>
}

export interface BillingReconciliationsTable {
  /** `YYYY-MM-DD`, UTC. */
  day: string
  began_at: Generated<Date>
  ended_at: Date | null
  accounts: Generated<number>
  differences: Generated<number>
  failures: Generated<number>
}

export interface BillingTables {
  billing_accounts: BillingAccountsTable
  billing_events: BillingEventsTable
  billing_differences: BillingDifferencesTable
  billing_endings: BillingEndingsTable
  billing_reconciliations: BillingReconciliationsTable
}
