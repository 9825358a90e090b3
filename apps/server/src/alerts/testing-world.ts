// A whole server with a mail server and a receiver of webhooks, whose devices leave and come back, for tests of alert rules.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import type { TenantId } from '@bowline/contract/schemas/common'
import { until } from '@bowline/testkit/until'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createMailQueue } from '../mails/queue.ts'
import { type TestSmtp, startSmtp } from '../mails/testing/smtp.ts'
import { randomIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { nowhere } from '../platform/positions.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type BootedServer, type Client, type Person, bootServer } from '../testing/boot.ts'
import type { TenantContext } from '../context.ts'
import type { AlertDeps } from './deps.ts'
import { type AlertEvaluator, createAlertEvaluator } from './evaluation.ts'
import { type Receiver, startReceiver } from './testing.ts'
import { evaluateThresholds } from './thresholds.ts'

const { alerts } = operations

/** Call it once in a test file: it registers the hooks. What it returns with a getter is there from then on. */
export function alertsWorld() {
  let server: BootedServer
  let smtp: TestSmtp
  let receiver: Receiver
  let clock: ManualClock
  let person: Person
  let logged: string[] = []
  const note = (ev: string, fields?: object) => void logged.push(JSON.stringify({ ev, ...fields }))
  const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log }
  beforeAll(async () => {
    clock = new ManualClock(Date.now())
    smtp = await startSmtp({ hideSTARTTLS: true })
    receiver = await startReceiver()
    server = await bootServer({
      clock,
      log,
      settings: {
        BOWLINE_EGRESS_ALLOWED: '127.0.0.0/8',
        BOWLINE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
        BOWLINE_SMTP_FROM: 'Bowline <bowline@example.com>',
        BOWLINE_SMTP_STARTTLS: 'off',
        BOWLINE_PUBLIC_URL: 'https://bowline.example.com',
      },
    })
    person = await server.setUpAccount()
  })
  afterAll(async () => {
    await server.close()
    await receiver.close()
    await smtp.close()
  })
  beforeEach(async () => {
    await system().deleteFrom('alert_rules').execute()
    await system().deleteFrom('devices').execute()
    receiver.messages.length = 0
    smtp.mails.length = 0
    logged = []
    // The limit of test messages is full again.
    clock.advance(120_000)
  })

  const system = () => server.database.system()
  const webhook = { name: 'Kiosks', condition: 'offline', minutes: 5, target: 'webhook' } as const
  const create = async (values: object = {}, client: Client = person.client) =>
    (
      await client.call(alerts.create, {
        body: { ...webhook, url: `${receiver.url}/hook?key=confidential`, ...values },
      })
    ).body
  const rules = async () => (await person.client.call(alerts.list, {})).body
  const deliveriesOf = async (id: string) =>
    (await person.client.call(alerts.deliveries, { params: { id }, query: {} })).body

  /** Devices that have just gone offline, one after the other. */
  async function depart(
    count: number,
    { over = 0, tags = [] as string[], cause = 'network:keepalive', tenant = person.tenant } = {},
  ): Promise<void> {
    const prefix = String(Math.random())
    await sql`with made as (
        insert into devices (uid, tenant_id, name, public_key, status, disconnected_at, tags)
          select encode(sha256(convert_to(${prefix} || i, 'UTF8')), 'hex'), ${tenant}::uuid,
            'unit-' || left(md5(${prefix}), 16) || '-' || lpad(i::text, 4, '0'), 'key', 'accepted', now(), ${tags}
          from generate_series(1, ${count}::int) i returning uid)
      insert into presence_spans (tenant_id, device_uid, started_at, ended_at, noted_at, cause)
        select ${tenant}::uuid, uid, now() - interval '5 hours', at, at, ${cause}
          from (select uid, now() - make_interval(secs => ${over}::float8 * row_number() over () / ${count}::int) as at
            from made) departed`.execute(system())
  }
  /** Makes everything so much older. */
  async function pass(seconds: number): Promise<void> {
    const ago = sql`make_interval(secs => ${seconds})`
    await sql`update presence_spans set started_at = started_at - ${ago}, ended_at = ended_at - ${ago},
      noted_at = noted_at - ${ago}`.execute(system())
    await sql`update alert_rules set evaluated_to = evaluated_to - ${ago}, fired_at = fired_at - ${ago},
      failing_since = failing_since - ${ago}`.execute(system())
    await sql`update alert_states set since = since - ${ago}, notified_at = notified_at - ${ago}`.execute(system())
    await sql`update alert_deliveries set created_at = created_at - ${ago}, due_at = due_at - ${ago},
      leased_until = leased_until - ${ago}`.execute(system())
  }
  /** All devices come back now. */
  const comeBack = () =>
    sql`insert into presence_spans (tenant_id, device_uid, started_at)
      select distinct tenant_id, device_uid, now() from presence_spans`.execute(system())
  const statements = { count: 0 }
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements.count += 1
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  let nodes: readonly AlertEvaluator[] | undefined
  /** The job, awaited. Nodes that did it at once would write a message once all the same. */
  async function evaluate(): Promise<void> {
    nodes ??= [depsOfNode(), depsOfNode()].map((deps) => createAlertEvaluator(deps))
    await Promise.all(nodes.map((node) => node.evaluate()))
  }
  /** The job about health, at two nodes at once. */
  async function evaluateHealth(): Promise<void> {
    await Promise.all([depsOfNode(), depsOfNode()].map((deps) => evaluateThresholds(deps)))
  }
  function depsOfNode(): AlertDeps {
    const secretKey = new SecretKey(server.secretKey)
    const contextOf = (tenant: TenantId): TenantContext => ({
      actor: { kind: 'system', name: 'alerts' },
      tenant,
      db: server.database.forTenant(tenant).withPlugin(counting),
      clock,
      log,
      edition: 'community',
      source: '',
      locate: nowhere,
      hasListeners: () => false,
      emit: () => undefined,
    })
    const mails = createMailQueue({
      clock,
      ids: randomIds,
      secretKey,
      publicOrigin: () => 'https://bowline.example.com',
      isSending: true,
    })
    const egress = { privateNetworks: true, allowed: () => true }
    return {
      system: system().withPlugin(counting),
      clock,
      ids: randomIds,
      log,
      secretKey,
      egress,
      mails,
      contextOf,
      // The sender of the running server looks every two seconds.
      wake: () => clock.advance(2_000),
    }
  }
  const settled = async (id: string, state: 'sent' | 'failed' = 'sent') => {
    await until(async () => (await deliveriesOf(id)).every((delivery) => delivery.state === state))
    return deliveriesOf(id)
  }

  return {
    get server() {
      return server
    },
    get smtp() {
      return smtp
    },
    get receiver() {
      return receiver
    },
    get clock() {
      return clock
    },
    get person() {
      return person
    },
    get logged() {
      return logged
    },
    /** Statements of the evaluations. */
    statements,
    system,
    create,
    rules,
    deliveriesOf,
    depart,
    pass,
    comeBack,
    evaluate,
    evaluateHealth,
    settled,
  }
}
