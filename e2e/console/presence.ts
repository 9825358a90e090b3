// A month of presence for the world, written directly into the database of the running product: nobody can wait for it.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { withDatabase } from '../../bench/src/site/seed.ts'
import type { Product } from '../support/product.ts'

/** Devices of the world were online for a month, with outages. The product's own device still is. */
export async function fillPresence(
  { dataFolder, tenant }: Pick<Product, 'dataFolder' | 'tenant'>,
  own: DeviceUid,
): Promise<void> {
  await withDatabase(dataFolder, async (database) => {
    await database.query(
      `update devices set presence_since = now() - interval '31 days', status_updated_at = now() - interval '31 days'
        where tenant_id = $1 and status = 'accepted'`,
      [tenant],
    )
    await database.query(
      `insert into presence_spans (tenant_id, device_uid, started_at, ended_at, cause, network)
        select $1::uuid, uid, now() - make_interval(hours => began), now() - make_interval(hours => ended, secs => nth),
          'network:keepalive', '203.0.113.0/24'::cidr
        from (select uid, row_number() over (order by name) as nth from devices
            where tenant_id = $1 and status = 'accepted' and kind = 'devices') as device,
          (values (719, 400), (399, 120), (110, 30), (29, 9), (8, 5)) as span (began, ended)
        where nth % 2 = 0 or ended <> 9`,
      [tenant],
    )
    await database.query(
      `with rule as (
        insert into alert_rules (tenant_id, name, condition, minutes, tags, target, host, sealed_url, sealed_secret, failing_since)
          values ($1, 'Kiosks offline', 'offline', 5, '{kiosk}', 'webhook', 'hooks.example.com', '', '', now() - interval '2 hours')
          returning id)
        insert into alert_deliveries (tenant_id, rule_id, text, body, state, attempts, answer, created_at, finished_at)
          select $1, id, text, '{}', state, attempts, answer, now() - ago, now() - ago from rule, (values
            ('kiosk-lobby has been offline for 5 minutes.', 'failed', 8, 'It answered 503.', interval '2 hours'),
            ('640 devices have been offline for 5 minutes: kiosk-1, kiosk-2, kiosk-3 and 637 more.', 'sent', 1,
              'It answered 200.', interval '3 days')) as message (text, state, attempts, answer, ago)`,
      [tenant],
    )
    // A stream that is paused: the server dials nothing.
    await database.query(
      `insert into audit_streams (tenant_id, name, active, format, nouns, host, sealed_url, sealed_secret, position, answer,
          disabled_reason)
        values ($1, 'Splunk', false, 'splunk-hec', '{device,member}', 'splunk.example.com:8088', '', '', 0,
          'It answered 503.', 'It answered 503.')`,
      [tenant],
    )
    await database.query(
      `insert into namespace_roles (tenant_id, name, permissions, tags) values
        ($1, 'Kiosk staff', '{deviceUpdate,sessionPlay,sessionClose}', '{garden}'), ($1, 'Auditors', '{auditRead}', null)`,
      [tenant],
    )
    await database.query(
      `update presence_spans set started_at = now() - interval '4 hours 30 minutes', breaks = 3, away_seconds = 21
        where device_uid = $1 and ended_at is null`,
      [own],
    )
  })
}
