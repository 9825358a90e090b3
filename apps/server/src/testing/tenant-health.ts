// Rows of a test's namespace about presence, health, alerts and audit streams.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { TenantIds, TestTenant } from './tenant.ts'

/** Too late for any rule to tell of it. */
const FAR_OFF = new Date('2100-01-01')
const AN_HOUR_AGO = new Date(Date.now() - 3_600_000)

/** A departure of the device and its health, and an alert rule with a message that is about it. @param mark text of the rows */
export async function fillHealth(
  db: Kysely<Schema>,
  { id: tenant_id, ids, owner }: TestTenant,
  mark: string,
): Promise<void> {
  const alert = { id: ids.alert, tenant_id, name: mark, condition: 'offline' as const, minutes: 5, devices: null }
  const mailed = { target: 'mail' as const, recipients: [owner], sealed_url: null, sealed_secret: null }
  const dates = { created_at: new Date(0), evaluated_to: FAR_OFF, fired_at: null, failing_since: null }
  await db
    .insertInto('alert_rules')
    .values({ ...alert, ...mailed, ...dates, disabled_reason: null })
    .execute()
  const told = {
    tenant_id,
    rule_id: ids.alert,
    text: mark,
    body: {},
    created_at: AN_HOUR_AGO,
    finished_at: AN_HOUR_AGO,
  }
  await db
    .insertInto('alert_deliveries')
    .values({ id: ids.job, ...told, state: 'sent', due_at: null })
    .execute()
  const stream = { id: ids.stream, tenant_id, name: mark, active: false, format: 'ndjson' as const, host: mark }
  const sealed = Buffer.from(mark)
  const secrets = { sealed_url: sealed, sealed_secret: sealed, sealed_authorization: sealed }
  const place = { position: 0, created_at: new Date(0), due_at: FAR_OFF, failing_since: null, disabled_reason: null }
  await db
    .insertInto('audit_streams')
    .values({ ...stream, ...secrets, ...place })
    .execute()
  await sql`insert into presence_spans (id, tenant_id, device_uid, started_at, ended_at, cause, network)
    overriding system value values (${ids.incident}::bigint, ${tenant_id}::uuid, ${ids.device}, ${new Date(0)}, ${AN_HOUR_AGO},
      'network:keepalive', '203.0.113.0/24')`.execute(db)
  const of = { device_uid: ids.device, tenant_id }
  await db
    .insertInto('device_health')
    .values({ ...of, state: 'reported', reported_at: AN_HOUR_AGO, disk: 95 })
    .execute()
  const none = Array.from({ length: 12 }, () => null)
  const measured = { cpu: none, memory: none, disk: none.map(() => 95), load: none, latency: none }
  await db
    .insertInto('device_health_points')
    .values({ ...of, step_minutes: 5, begins_at: AN_HOUR_AGO, ...measured })
    .execute()
  await db
    .insertInto('alert_states')
    .values({ ...of, rule_id: ids.alert, since: AN_HOUR_AGO, notified_at: null })
    .execute()
}

/** Inputs of the calls about audit streams. */
export function streamSamples({ stream: id }: TenantIds, url: string) {
  return {
    // No entry has the noun: nothing is sent.
    'auditStreams.create': { body: { name: 'added', url, nouns: ['billing'] } },
    'auditStreams.update': { params: { id }, body: { name: 'changed' } },
    'auditStreams.remove': { params: { id } },
    'auditStreams.test': { params: { id } },
  }
}
