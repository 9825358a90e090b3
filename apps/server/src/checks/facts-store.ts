// SQL of `bowline doctor`: what the rows of an installation say about its state. System connection; reads only.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** The database's clock, in milliseconds since the epoch. */
export async function readClock(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{
    ms: number
  }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db)
  return rows[0]?.ms ?? Number.NaN
}

/** A sealed key of the instance; undefined before the first start. */
export async function readSealedKey(db: Kysely<Schema>, name: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('instance_keys').select('sealed').where('name', '=', name).executeTakeFirst()
  return row?.sealed
}

/** Linked devices by the version of their agent. */
export function countAgentVersions(db: Kysely<Schema>): Promise<{ version: string; count: number }[]> {
  return linkedDevices(db)
    .select(({ fn }) => [sql<string>`coalesce(info->>'version', '')`.as('version'), fn.countAll<number>().as('count')])
    .groupBy('version')
    .orderBy('version')
    .execute()
}

/** Addresses from which at least `least` devices are linked. */
export function listSharedAddresses(db: Kysely<Schema>, least: number): Promise<{ address: string; count: number }[]> {
  return linkedDevices(db)
    .select(({ fn }) => ['remote_addr as address', fn.countAll<number>().as('count')])
    .groupBy('remote_addr')
    .having(({ fn }) => fn.countAll(), '>=', least)
    .orderBy('remote_addr')
    .execute()
}

function linkedDevices(db: Kysely<Schema>) {
  return db
    .selectFrom('devices')
    .where('kind', '=', 'devices')
    .where('status', '=', 'accepted')
    .where('disconnected_at', 'is', null)
}

/** Recordings of all nodes that ended before a time and are not in the store. */
export async function countNotStored(db: Kysely<Schema>, before: Date): Promise<number> {
  const { count } = await db
    .selectFrom('recordings')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('place', '<>', 'object')
    .where('state', '<>', 'recording')
    .where('ended_at', '<', before)
    .executeTakeFirstOrThrow()
  return count
}

/** Nodes that are alive and have told the others an address. */
export function listReachableNodes(db: Kysely<Schema>): Promise<{ id: string; address: string; key_pin: string }[]> {
  return db
    .selectFrom('nodes')
    .select(['id', 'address', 'key_pin'])
    .where('address', '<>', '')
    .where('lost_at', 'is', null)
    .orderBy('id')
    .execute()
}
