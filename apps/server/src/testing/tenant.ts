// A namespace with a row of every noun, for tests of the effects of calls. It can be reset at any time with the same
// ids, so that its tokens and keys stay valid.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { ROLES, type Role } from '@bowline/contract/roles'
import { DeviceUid, SessionUid, type TenantId, type UserId } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { showClosed } from '../db/show-closed.ts'
import { againAfterDeadlock } from './database.ts'
import { fillAccess } from './tenant-access.ts'
import { fillHealth } from './tenant-health.ts'
import { fillProvisioning } from './tenant-provisioning.ts'

export interface TestTenant {
  readonly id: TenantId
  readonly owner: UserId
  /** Accepted members by role, the owner among them. */
  readonly members: Readonly<Record<Role, UserId>>
  /** A user with a pending membership. */
  readonly pending: UserId
  /** Its sealed key that certifies logins. */
  readonly sealedAuthority: Buffer
  readonly ids: TenantIds
  /** Restores the initial state. */
  reset(): Promise<void>
  /** One hash over every row that has its tenant id, and over the accounts of its people. */
  fingerprint(): Promise<string>
}

/** Ids of the rows. Names of rows contain {@link MARK}; these do not. */
export interface TenantIds {
  readonly device: DeviceUid
  readonly waiting: DeviceUid
  readonly container: DeviceUid
  readonly session: SessionUid
  /** Recording of the session's first seat; tests that read it write its file. */
  readonly recording: string
  readonly fingerprint: string
  readonly rule: number
  readonly tunnel: string
  readonly connector: string
  readonly scimToken: string
  /** Rollout of the agent that goes on. */
  readonly rollout: string
  /** Saved view of the namespace. */
  readonly view: string
  readonly snippet: string
  readonly tagRule: string
  readonly role: string
  /** Pending access request of somebody who is gone, and active one of the owner. */
  readonly accessRequest: string
  readonly activeAccess: string
  readonly alert: string
  /** Paused audit stream. */
  readonly stream: string
  /** Departure of the device. */
  readonly incident: string
  /** Finished change of many devices, of the owner. */
  readonly job: string
  /** API keys by role, as programs send them. */
  readonly keys: Readonly<Record<Role, string>>
}

/** Part of every text that other namespaces must never read. */
export const MARK = 'confidential'
/** Tag of the devices, the public key and the firewall rule. */
export const TAG = 'rack'
/** Tag of the devices only. */
export const DEVICE_TAG = 'floor'

/** Too late for any job to expire the rows. */
const FAR_OFF = new Date('2100-01-01')

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** Creates a namespace of existing users. @param sealedAuthority by default no sealed key */
export async function makeTenant(
  database: Database,
  id: TenantId,
  members: Readonly<Record<Role, UserId>>,
  pending: UserId,
  sealedAuthority: Buffer = Buffer.from(MARK),
): Promise<TestTenant> {
  const db = database.system()
  const ids: TenantIds = {
    device: DeviceUid.parse(hex(32)),
    waiting: DeviceUid.parse(hex(32)),
    container: DeviceUid.parse(hex(32)),
    session: SessionUid.parse(hex(32)),
    recording: randomUUID(),
    fingerprint: (hex(16).match(/../g) ?? []).join(':'),
    rule: 1_000_000 + Math.floor(Math.random() * 1_000_000_000),
    tunnel: hex(16),
    connector: randomUUID(),
    scimToken: randomUUID(),
    rollout: randomUUID(),
    view: randomUUID(),
    snippet: randomUUID(),
    tagRule: randomUUID(),
    role: randomUUID(),
    accessRequest: randomUUID(),
    activeAccess: randomUUID(),
    alert: randomUUID(),
    stream: randomUUID(),
    incident: String(1_000_000 + Math.floor(Math.random() * 1_000_000_000)),
    job: randomUUID(),
    keys: { observer: randomUUID(), operator: randomUUID(), administrator: randomUUID(), owner: randomUUID() },
  }
  const tables = await tenantTables(db)
  const people = [...Object.values(members), pending]
  const tenant: TestTenant = {
    id,
    owner: members.owner,
    members,
    pending,
    sealedAuthority,
    ids,
    // A job that a call has begun may lock the same rows in another order.
    reset: () => againAfterDeadlock(() => db.transaction().execute((inner) => fill(inner, tenant))),
    async fingerprint() {
      // Differences may be folded at any time; only their sum counts.
      const counts = sql`(select tenant_id, list, status, sum(difference) from row_counts
        group by 1, 2, 3 having sum(difference) <> 0)`
      const rows = tables.map((table) => {
        const source = table === 'row_counts' ? counts : sql.table(table)
        return sql`select ${table} || t::text as line from ${source} as t where tenant_id = ${id}`
      })
      const { rows: lines } = await sql<{ line: string }>`${sql.join(rows, sql` union all `)}
        union all select 'users' || (id, name, username, email, recovery_email, password_hash, token_epoch)::text
        from users where id = any(${people}) order by 1`.execute(db)
      const text = lines.map(({ line }) => line).join('\n')
      return createHash('sha256').update(text).digest('hex')
    },
  }
  await tenant.reset()
  return tenant
}

/** Every table with rows of namespaces. */
export async function tenantTables(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'tenant_id' order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

async function fill(db: Kysely<Schema>, tenant: TestTenant): Promise<void> {
  const { id: tenant_id, ids, members, owner } = tenant
  // A call may have closed it.
  await showClosed(db)
  await db.deleteFrom('namespaces').where('tenant_id', '=', tenant_id).execute()
  // Restores signed-out users' tokens and clears lockouts.
  const admins = await db.selectFrom('users').select('id').where('is_instance_admin', '=', true).execute()
  const people = [...Object.values(members), tenant.pending, ...admins.map(({ id }) => id)]
  await db.updateTable('users').set({ token_epoch: 0 }).where('id', 'in', people).execute()
  await db.deleteFrom('ended_logins').where('user_id', 'in', people).execute()
  await db.deleteFrom('login_attempts').execute()
  await db
    .insertInto('namespaces')
    .values({ tenant_id, name: `${MARK}-${tenant_id.slice(0, 8)}`, owner, connection_announcement: MARK })
    .execute()
  const accepted = { tenant_id, status: 'accepted' as const }
  await db
    .insertInto('members')
    .values([
      ...ROLES.map((role) => ({ ...accepted, user_id: members[role], role })),
      {
        tenant_id,
        status: 'pending',
        user_id: tenant.pending,
        role: 'administrator',
        expires_at: FAR_OFF,
      },
    ])
    .execute()
  await db
    .insertInto('login_keys')
    .values({ tenant_id, fingerprint: 'ab:'.repeat(15) + 'ab', sealed: Buffer.from(MARK) })
    .execute()
  await db
    .insertInto('api_keys')
    .values(
      ROLES.map((role) => ({
        tenant_id,
        name: `key-${role}`,
        key_hash: createHash('sha256').update(ids.keys[role]).digest(),
        role,
        created_by: owner,
      })),
    )
    .execute()
  await db
    .insertInto('install_keys')
    .values({
      tenant_id,
      name: tenant_id,
      key_hash: createHash('sha256').update(`install key of ${tenant_id}`).digest(),
      accepts: true,
      tags: [TAG],
      created_by: owner,
    })
    .execute()
  const device = (uid: DeviceUid, status: 'accepted' | 'pending', platform: string) => ({
    tenant_id,
    uid,
    name: `${MARK}-${uid.slice(0, 8)}`,
    mac: uid.slice(0, 12).replaceAll(/..(?=.)/g, '$&:'),
    info: { id: 'debian', pretty_name: MARK, version: '', arch: 'x64', platform },
    public_key: MARK,
    status,
    tags: [TAG, DEVICE_TAG],
  })
  await db
    .insertInto('devices')
    .values([
      device(ids.device, 'accepted', 'native'),
      device(ids.waiting, 'pending', 'native'),
      device(ids.container, 'accepted', 'connector'),
    ])
    .execute()
  await db
    .insertInto('key_logins_under_way')
    .values({ tenant_id, device_uid: ids.device, username: MARK, expires_at: FAR_OFF })
    .execute()
  await db
    .insertInto('sessions')
    .values({ tenant_id, uid: ids.session, device_uid: ids.device, username: MARK, type: 'term', active: true })
    .execute()
  await db.insertInto('dropped_guesses').values({ tenant_id, hour: FAR_OFF, count: 1 }).execute()
  await db
    .insertInto('repeated_refusals')
    .values({ tenant_id, source: '192.0.2.7', device_uid: ids.device, rule: ids.rule, since: FAR_OFF })
    .execute()
  const proof = { tenant_id, user_id: owner, credential: Buffer.alloc(32), source: '192.0.2.7' }
  await db
    .insertInto('held_logins')
    .values({
      ...proof,
      id: randomUUID(),
      code: hex(4)
        .replaceAll(/./g, (digit) => String.fromCodePoint(65 + Number.parseInt(digit, 16)))
        .toUpperCase(),
      key_name: MARK,
      address: '192.0.2.7',
      device_uid: ids.device,
      username: MARK,
      created_at: new Date(0),
      expires_at: new Date(0),
    })
    .execute()
  await db
    .insertInto('factor_windows')
    .values({ ...proof, token_epoch: 0, opened_at: new Date(0) })
    .execute()
  await db.insertInto('session_events').values({ tenant_id, session_uid: ids.session, seat: 0, type: MARK }).execute()
  const recording = { id: ids.recording, session_uid: ids.session, seat: 0, started_at: new Date(0), node: '' }
  await db
    .insertInto('recordings')
    .values({ tenant_id, state: 'complete', ...recording })
    .execute()
  const entry = { kind: 'remove-namespace' as const, at: new Date(0), statement: MARK, hash: '0'.repeat(64) }
  await db
    .insertInto('recording_ledger')
    .values({ tenant_id, sequence: 1, signature: '', ...entry })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const passage = { recording_id: ids.recording, kind: 'output' as const, at_ms: 0, text: MARK, words: '' }
  await db
    .insertInto('recording_passages')
    .values({ tenant_id, ...passage })
    .execute()
  const filter = { hostname: null, tags: [TAG, 'second'] }
  await db
    .insertInto('public_keys')
    .values({
      tenant_id,
      fingerprint: ids.fingerprint,
      blob: Buffer.from(MARK),
      data: MARK,
      name: MARK,
      username: MARK,
      owner,
      service: false,
      ...filter,
    })
    .execute()
  await sql`insert into firewall_rules
    (id, tenant_id, action, active, priority, source_ip, username, hostname, tags) overriding system value
    values (${ids.rule}, ${tenant_id}, 'deny', true, 7, ${MARK}, ${MARK}, null, ${filter.tags})`.execute(db)
  await db
    .insertInto('tunnels')
    .values({ tenant_id, address: ids.tunnel, device_uid: ids.device, host: '10.9.8.7', port: 80, ttl_seconds: -1 })
    .execute()
  await db
    .insertInto('connectors')
    .values({ tenant_id, uid: ids.connector, enable: false, address: `${MARK}.example`, port: 2376, secure: false })
    .execute()
  await db
    .insertInto('removed_devices')
    .values({
      tenant_id,
      uid: DeviceUid.parse('f'.repeat(64)),
      device: { ...device(ids.device, 'accepted', 'native') },
    })
    .execute()
  await db
    .insertInto('saved_views')
    .values({ tenant_id, id: ids.view, user_id: null, name: MARK, list: 'devices', query: {}, created_at: new Date(0) })
    .execute()
  await fillAccess(db, tenant, MARK, TAG)
  await fillHealth(db, tenant, MARK)
  await db.insertInto('device_favorites').values({ tenant_id, user_id: owner, device_uid: ids.device }).execute()
  const job = { tenant_id, id: ids.job, user_id: owner, action: 'tag' as const, total: 1, undoes: null }
  const [created_at, finished_at] = [new Date(0), FAR_OFF]
  await db
    .insertInto('device_jobs')
    .values({ ...job, tags: [TAG], state: 'done', created_at, finished_at, leased_until: created_at })
    .execute()
  await db
    .insertInto('device_job_items')
    .values({
      tenant_id,
      job_id: ids.job,
      device_uid: ids.device,
      name: MARK,
      status_before: 'accepted',
      tags_before: [],
    })
    .execute()
  await fillProvisioning(db, tenant, MARK)
}
