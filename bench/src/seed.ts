// Rows that no caller could make in reasonable time, written straight into the embedded database of a running site.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { TenantId } from '@bowline/contract/schemas/common'
import { Client } from 'pg'
import { DATABASE, OWNER_USER, readPasswords } from '../../apps/server/src/db/embedded/cluster.ts'
import { findPackage } from '../../apps/server/src/db/embedded/package.ts'
import { PORT, findPostmaster } from '../../apps/server/src/db/embedded/postmaster.ts'
import { SYSTEM_ROLE } from '../../apps/server/src/db/roles.ts'

/** Runs `work` on a connection that sees the rows of every namespace. */
export async function withDatabase<T>(dataFolder: string, work: (database: Client) => Promise<T>): Promise<T> {
  const cluster = join(dataFolder, 'postgres', `${(await findPackage()).major}-data`)
  const postmaster = await findPostmaster(cluster)
  if (!postmaster) throw new Error(`no database runs in ${dataFolder}`)
  const { owner } = await readPasswords(cluster)
  const database = new Client({
    host: postmaster.socketDir,
    port: PORT,
    user: OWNER_USER,
    password: owner,
    database: DATABASE,
  })
  await database.connect()
  try {
    await database.query(`set role ${SYSTEM_ROLE}`)
    return await work(database)
  } finally {
    await database.end()
  }
}

/** A namespace with the owner of another one. */
export async function addNamespace(database: Client, options: { like: TenantId; name: string }): Promise<TenantId> {
  const tenant = TenantId.parse(randomUUID())
  await database.query(
    'insert into namespaces (tenant_id, name, owner) select $1, $2, owner from namespaces where tenant_id = $3',
    [tenant, options.name, options.like],
  )
  await database.query(
    `insert into members (tenant_id, user_id, role, status) select $1, user_id, role, status from members
     where tenant_id = $2 and role = 'owner'`,
    [tenant, options.like],
  )
  return tenant
}

/** Accepted devices, seen at different times within the last month, a third of them online. */
export async function addDevices(database: Client, tenant: TenantId, count: number): Promise<void> {
  await database.query(
    `insert into devices (uid, tenant_id, name, hostname, mac, info, public_key, status, last_seen, disconnected_at)
     select encode(sha256(convert_to($1 || i, 'UTF8')), 'hex'), $1::uuid, 'device-' || i, 'device-' || i,
       lpad(to_hex(i), 12, '0'),
       '{"id":"debian","pretty_name":"Debian GNU/Linux 12","version":"0.1.0","arch":"x64","platform":"linux"}',
       rpad('-----BEGIN PUBLIC KEY-----', 113, 'k'), 'accepted', now() - make_interval(secs => 26 * i % 2592000),
       case when i % 3 > 0 then now() end
     from generate_series(1, $2::int) as i`,
    [tenant, count],
  )
  // What autovacuum does by itself a minute after such a change.
  await database.query('reset role')
  await database.query('vacuum analyze devices')
  await database.query(`set role ${SYSTEM_ROLE}`)
}

/** Accepts every device that waits. */
export async function acceptAll(database: Client): Promise<void> {
  await database.query("update devices set status = 'accepted', status_updated_at = now() where status = 'pending'")
}
