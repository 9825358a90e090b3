// Bulk rows that calls could not create in reasonable time, written directly into the embedded database of a running
// site.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { TenantId } from '@bowline/contract/schemas/common'
import { Client } from 'pg'
import { DATABASE, OWNER_USER } from '../../../apps/server/src/db/embedded/cluster.ts'
import { readPasswords } from '../../../apps/server/src/db/embedded/passwords.ts'
import { findPackage } from '../../../apps/server/src/db/embedded/package.ts'
import { findPostmaster } from '../../../apps/server/src/db/embedded/postmaster.ts'
import { PORT } from '../../../apps/server/src/db/embedded/run-dir.ts'
import { SYSTEM_ROLE } from '../../../apps/server/src/db/roles.ts'

/** Runs `work` on a connection that can access the rows of every namespace. */
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

/** A namespace with the same owner as another one. */
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
}

/** Sessions with the devices of {@link addDevices}, over the last year; one of a thousand is active. */
export async function addSessions(database: Client, tenant: TenantId, count: number): Promise<void> {
  await database.query(
    `insert into sessions (uid, tenant_id, device_uid, username, ip_address, type, authenticated, active, started_at,
       last_seen, closed_at, cause_by, cause_reason, cause_message)
     select encode(sha256(convert_to('session' || $1 || i, 'UTF8')), 'hex'), $1::uuid, uid, 'root', '192.0.2.7', 'term',
       true, i % 1000 = 0, at, at, case when i % 1000 > 0 then at end, case when i % 1000 > 0 then 'user' end,
       case when i % 1000 > 0 then 'closed' end, case when i % 1000 > 0 then 'The connection was closed.' end
     from (select uid, row_number() over (order by uid) - 1 as place, count(*) over () as all_of_them from devices
           where tenant_id = $1::uuid) as devices,
       lateral (select i::int, now() - make_interval(secs => 31 * i % 31536000) as at
                from generate_series(place + 1, $2::int, all_of_them) as i) as one`,
    [tenant, count],
  )
}

/** Entries of the audit log. */
export async function addAudit(database: Client, tenant: TenantId, count: number): Promise<void> {
  await database.query(
    `insert into audit_log (tenant_id, actor_type, actor_id, action, target)
     select $1::uuid, 'system', 'bench', 'device.accept', 'device-' || i from generate_series(1, $2::int) as i`,
    [tenant, count],
  )
}

/** The same number of public keys and firewall rules. */
export async function addKeys(database: Client, tenant: TenantId, count: number): Promise<void> {
  await database.query(
    `insert into public_keys (tenant_id, fingerprint, blob, data, name, username, hostname)
     select $1::text::uuid, rtrim(regexp_replace(md5($1::text || i), '(..)', '\\1:', 'g'), ':'), '\\x00', 'AAAA', 'key-' || i, '.*', '.*'
     from generate_series(1, $2::int) as i`,
    [tenant, count],
  )
  await database.query(
    `insert into firewall_rules (tenant_id, action, active, priority, source_ip, username, hostname)
     select $1::uuid, 'allow', true, i, '.*', '.*', '.*' from generate_series(1, $2::int) as i`,
    [tenant, count],
  )
}

/** Does what autovacuum would do a minute after such changes. */
export async function tidy(database: Client): Promise<void> {
  await database.query('reset role')
  await database.query('vacuum analyze')
  await database.query(`set role ${SYSTEM_ROLE}`)
}

/** Accepts every pending device. */
export async function acceptAll(database: Client): Promise<void> {
  await database.query("update devices set status = 'accepted', status_updated_at = now() where status = 'pending'")
}
