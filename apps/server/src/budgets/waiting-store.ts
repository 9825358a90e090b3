// SQL of what strangers leave waiting. System rows of the nouns whose tables they are.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Tables with the columns source, network, wide_network and expires_at. */
export type WaitingTable = 'program_codes' | 'provider_requests' | 'pairings'

export interface Most {
  readonly perSource: number
  readonly perNetwork: number
  readonly total: number
}

/** Rows that make room for others: neither what a person has decided about nor an administrator's test. */
const YIELDING: Readonly<Record<WaitingTable, RawBuilder<unknown>>> = {
  program_codes: sql`user_id is null`,
  provider_requests: sql`tester is null`,
  pairings: sql`claimed_by is null`,
}

/** Holds the others off until the transaction ends, so that concurrent callers cannot pass the limits together. */
export async function lockWaiting(db: Kysely<Schema>, table: WaitingTable): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${table}))`.execute(db)
}

/** Whether the source or its network has as many as it may. Reads no more rows than the limits. */
export async function isFull(
  db: Kysely<Schema>,
  table: WaitingTable,
  { source, now }: { readonly source: string; readonly now: Date },
  most: Pick<Most, 'perSource' | 'perNetwork'>,
): Promise<boolean> {
  const network = sql`network(set_masklen(${source}::text::inet, case family(${source}::text::inet) when 4 then 24 else 48 end))`
  const rows = sql.table(table)
  const { rows: found } = await sql<{ full: boolean }>`
    select exists (select from ${rows} where source = ${source} and expires_at > ${now} offset ${most.perSource - 1})
      or exists (select from ${rows} where network = ${network} and expires_at > ${now} offset ${most.perNetwork - 1})
      as full`.execute(db)
  return found[0]?.full ?? true
}

/**
 * Makes room where all together are too many: of the wide network with the most, of its network with the most, the oldest.
 * A hundredth goes at once, so that a full table is not sorted for each row.
 */
export async function makeRoom(db: Kysely<Schema>, table: WaitingTable, now: Date, total: number): Promise<void> {
  const rows = sql.table(table)
  const yielding = sql`expires_at > ${now} and ${YIELDING[table]}`
  const { rows: counted } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from ${rows} where ${yielding}`.execute(db)
  const excess = (counted[0]?.waiting ?? 0) - total + 1
  if (excess <= 0) return
  await sql`
    delete from ${rows} where ctid = any (array(
      select ctid from (
        select ctid, expires_at, count(*) over (partition by wide_network) as in_wide,
          count(*) over (partition by network) as in_network
        from ${rows} where ${yielding}
      ) as waiting
      order by in_wide desc, in_network desc, expires_at limit ${Math.max(excess, Math.floor(total / 100))}
    ))`.execute(db)
}
