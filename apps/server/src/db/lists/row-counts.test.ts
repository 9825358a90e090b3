// Maintained totals compared with counted ones under concurrent changes.
import { randomBytes } from 'node:crypto'
import { type DeviceUid, SessionUid, DeviceUid as parseDevice } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { type Database, openDatabase } from '../database.ts'
import { MIGRATIONS_FOLDER, migrate, readMigrations } from '../migrate.ts'
import { asOwner } from '../owner-session.ts'
import { SYSTEM_ROLE, ensureWorkingRoles } from '../roles.ts'
import { emptyDatabase } from '../../testing/database.ts'
import { type CountedList, devicesByStatus, foldCounts, totalOf } from './row-counts.ts'
import type { Schema } from '../schema.ts'

const AT_ONCE = 50

let server: BootedServer
/** Has one connection per concurrent change. */
let database: Database
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
  database = await openDatabase({ owner: server.owner, poolSize: AT_ONCE, log: silentLog })
})
afterAll(async () => {
  await database.close()
  await server.close()
})

const STATUSES = ['accepted', 'pending', 'rejected', 'unused'] as const
const LISTS = ['devices', 'containers', 'sessions', 'audit_log'] as const
const tenantOf = (one: Person): Kysely<Schema> => database.forTenant(one.tenant)
const newUid = (): DeviceUid => parseDevice.parse(randomBytes(32).toString('hex'))
let people = 0
const newcomer = () => server.addPerson(`counted-${(people += 1)}`)

/** Inserts a device in one statement. */
async function add(db: Kysely<Schema>, of: Person, platform = 'native'): Promise<DeviceUid> {
  const uid = newUid()
  const device = { uid, tenant_id: of.tenant, name: uid, public_key: 'key', info: { platform } }
  await db.insertInto('devices').values(device).execute()
  return uid
}

function newSession(of: Person, device: DeviceUid) {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  return { uid, tenant_id: of.tenant, device_uid: device, username: 'root', type: 'term' as const }
}

/** Maintained and counted totals of one snapshot. */
function bothTotals(of: Person): Promise<{ kept: unknown; counted: unknown }> {
  return tenantOf(of)
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (db) => {
      const kept = await Promise.all(LISTS.map((list) => totalOf(db, list)))
      const { rows } = await sql<Record<CountedList, number>>`
        select count(*) filter (where kind = 'devices') as devices, count(*) filter (where kind = 'containers') as containers,
          (select count(*) from sessions) as sessions, (select count(*) from audit_log) as audit_log from devices`.execute(
        db,
      )
      const statuses = await db
        .selectFrom('devices')
        .select(['kind', 'status', sql<number>`count(*)`.as('total')])
        .groupBy(['kind', 'status'])
        .execute()
      return {
        kept: [kept, sums((await devicesByStatus(db)).map(({ list, ...rest }) => ({ kind: list, ...rest })))],
        counted: [LISTS.map((list) => rows[0]?.[list]), sums(statuses)],
      }
    })
}

const sums = (rows: readonly { kind: string; status: string; total: number }[]): object =>
  Object.fromEntries(rows.flatMap(({ kind, status, total }) => (total === 0 ? [] : [[`${kind} ${status}`, total]])))

describe('maintained totals', () => {
  it('keeps totals equal to counts in every snapshot under fifty concurrent writers and folding', async () => {
    const owner = await newcomer()
    const devices: DeviceUid[] = []
    for (let count = 0; count < 20; count += 1) devices.push(await add(tenantOf(owner), owner))
    const change = async (turn: number): Promise<void> => {
      const db = tenantOf(owner)
      const device = devices[turn % devices.length] ?? newUid()
      const status = STATUSES[turn % STATUSES.length] ?? 'pending'
      if (turn % 5 === 0) await add(db, owner, turn % 2 ? 'connector' : 'native')
      if (turn % 5 === 1) await db.deleteFrom('devices').where('uid', '=', device).execute()
      if (turn % 5 === 2) await db.updateTable('devices').set({ status }).where('uid', '=', device).execute()
      if (turn % 5 === 3) {
        // Fails if the device has been removed meanwhile; the total must not change then.
        await db
          .insertInto('sessions')
          .values([newSession(owner, device), newSession(owner, device)])
          .execute()
          .catch(() => undefined)
      }
      if (turn % 5 === 4) {
        const undone = db.transaction().execute(async (trx) => {
          await trx
            .updateTable('devices')
            .set({ info: { platform: 'connector' } })
            .where('uid', '=', device)
            .execute()
          await add(trx, owner)
          if (turn % 2) throw new Error('undone')
        })
        await undone.catch(() => undefined)
      }
      const { kept, counted } = await bothTotals(owner)
      expect(kept).toEqual(counted)
      if (turn % 7 === 0) await foldCounts(database.system())
    }
    await Promise.all(Array.from({ length: AT_ONCE }, (_, turn) => change(turn)))
    await foldCounts(database.system())
    const { kept, counted } = await bothTotals(owner)
    expect(kept).toEqual(counted)
  })

  it('updates totals for cascading deletes of devices and namespaces', async () => {
    const owner = await newcomer()
    const [stays, goes] = [await add(tenantOf(owner), owner), await add(tenantOf(owner), owner)]
    const sessions = [newSession(owner, goes), newSession(owner, goes), newSession(owner, stays)]
    await tenantOf(owner).insertInto('sessions').values(sessions).execute()
    expect(await totalOf(tenantOf(owner), 'sessions')).toBe(3)
    await tenantOf(owner).deleteFrom('devices').where('uid', '=', goes).execute()
    expect(await totalOf(tenantOf(owner), 'sessions')).toBe(1)
    await database.system().deleteFrom('namespaces').where('tenant_id', '=', owner.tenant).execute()
    for (const list of ['devices', 'sessions'] as const) expect(await totalOf(tenantOf(owner), list)).toBe(0)
  })

  it('isolates totals by namespace and denies the tenant role to change them', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()]
    await add(tenantOf(theirs), theirs)
    expect(await totalOf(tenantOf(mine), 'devices')).toBe(0)
    const difference = { tenant_id: mine.tenant, list: 'devices' as const, status: 'pending', difference: 5 }
    await expect(tenantOf(mine).insertInto('row_counts').values(difference).execute()).rejects.toThrow(
      /permission denied/,
    )
    await expect(tenantOf(mine).deleteFrom('row_counts').execute()).rejects.toThrow(/permission denied/)
    expect(await totalOf(tenantOf(mine), 'devices')).toBe(0)
  })

  it('folds the differences of a list and status into one, also from several servers', async () => {
    const owner = await newcomer()
    for (let count = 0; count < 10; count += 1) await add(tenantOf(owner), owner)
    const differences = async () =>
      (await tenantOf(owner).selectFrom('row_counts').select('difference').where('list', '=', 'devices').execute())
        .length
    expect(await differences()).toBe(10)
    await Promise.all(Array.from({ length: 4 }, () => foldCounts(database.system())))
    await foldCounts(database.system())
    expect(await differences()).toBe(1)
    expect(await totalOf(tenantOf(owner), 'devices', 'pending')).toBe(10)
  })

  it('initialises totals from the rows of an older server in the migration', async () => {
    const empty = await emptyDatabase()
    const migrations = await readMigrations(MIGRATIONS_FOLDER)
    const older = migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === 'lists'),
    )
    try {
      const counts = await asOwner(empty.owner, async (client, facts) => {
        await ensureWorkingRoles(client, facts)
        await migrate(client, older)
        await client.query(`set role ${SYSTEM_ROLE}`)
        await client.query(`insert into users (id, name, username, email, status)
          values (repeat('a', 24), 'ada', 'ada', 'ada@example.com', 'confirmed')`)
        await client.query(`insert into namespaces (tenant_id, name, owner)
          values ('11111111-1111-4111-8111-111111111111', 'old', repeat('a', 24))`)
        await client.query(`insert into devices (uid, tenant_id, name, public_key, status, info)
          select repeat(i::text, 64), '11111111-1111-4111-8111-111111111111', 'device-' || i, 'key',
            case when i > 3 then 'pending' else 'accepted' end,
            jsonb_build_object('platform', case when i = 1 then 'connector' else 'native' end)
          from generate_series(1, 5) as i`)
        await client.query('reset role')
        await migrate(client, migrations)
        await client.query(`set role ${SYSTEM_ROLE}`)
        const { rows } = await client.query('select list, status, difference::int from row_counts order by 1, 2')
        return rows
      })
      expect(counts).toEqual([
        { list: 'containers', status: 'accepted', difference: 1 },
        { list: 'devices', status: 'accepted', difference: 2 },
        { list: 'devices', status: 'pending', difference: 2 },
      ])
    } finally {
      await empty.close()
    }
  })
})
