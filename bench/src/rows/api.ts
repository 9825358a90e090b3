// Lists of a large namespace compared with the same lists of a small one: same server, same database, interleaved.
import { join } from 'node:path'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import { type Candidate, interleave } from '../measure/interleave.ts'
import type { BenchOptions } from '../options.ts'
import type { Row } from '../row.ts'
import { addAudit, addDevices, addKeys, addNamespace, addSessions, tidy, withDatabase } from '../site/seed.ts'
import { type Site, startSite } from '../site/site.ts'
import { median, pairedRatios, percentile, spreadOf } from '../measure/statistics.ts'
import { TARGETS } from '../targets.ts'

const SMALL_DEVICES = 1_000
const SESSIONS_PER_DEVICE = 10
const KEYS = 100
const PER_PAGE = 10
/** Calls per round: sequential ones for latency, then concurrent ones for the rate. */
const IN_TURN = 20
const CONCURRENT_CALLS = 40
const CALLERS = 4

type Client = Site['client']
type Size = 'large' | 'small'

interface Namespace {
  readonly client: Client
  readonly devices: number
  readonly sessions: number
}

/** A typical call, and its expected total; undefined: any. */
interface Call {
  readonly id: string
  readonly work: string
  readonly make: (of: Namespace) => Promise<{ total?: number | undefined }>
  readonly total?: (of: Namespace) => number
  /** Grows with the rows by nature: reported without a target. */
  readonly grows?: boolean
}

const filter = (...conditions: readonly (readonly [name: string, operator: string, value: unknown])[]): string =>
  Buffer.from(
    JSON.stringify(
      conditions.map(([name, operator, value]) => ({ type: 'property', params: { name, operator, value } })),
    ),
  ).toString('base64')

const page = (number: number): Record<'page' | 'per_page', string> => ({
  page: String(number),
  per_page: String(PER_PAGE),
})
const devices = (query: Record<string, string>) => (of: Namespace) =>
  of.client.call(operations.devices.list, { query: { ...page(1), ...query } })
const sessions = (query: Record<string, string>) => (of: Namespace) =>
  of.client.call(operations.sessions.list, { query: { ...page(1), ...query } })
const allDevices = (of: Namespace): number => of.devices
const allSessions = (of: Namespace): number => of.sessions

const CALLS: readonly Call[] = [
  { id: 'devices.first', work: 'devices, first page', make: devices({}), total: allDevices },
  {
    id: 'devices.by-name',
    work: 'devices, first page by name',
    make: devices({ sort_by: 'name', order_by: 'asc' }),
    total: allDevices,
  },
  {
    id: 'devices.by-created',
    work: 'devices, first page by creation',
    make: devices({ sort_by: 'created_at' }),
    total: allDevices,
  },
  {
    id: 'devices.every-status',
    work: 'devices, first page of every status',
    make: devices({ status: '' }),
    total: allDevices,
  },
  {
    id: 'devices.last',
    work: 'devices, last page',
    make: (of) => devices(page(Math.ceil(of.devices / PER_PAGE)))(of),
    total: allDevices,
  },
  {
    id: 'devices.middle',
    work: 'devices, page in the middle',
    make: (of) => devices(page(Math.ceil(of.devices / PER_PAGE / 2)))(of),
    total: allDevices,
    grows: true,
  },
  {
    id: 'devices.online',
    work: 'devices, those online',
    make: devices({ filter: filter(['online', 'bool', true]) }),
  },
  {
    id: 'devices.contains',
    work: 'devices, name contains',
    make: devices({ filter: filter(['name', 'contains', '77']) }),
    grows: true,
  },
  {
    id: 'containers.first',
    work: 'containers, none there',
    make: (of) => of.client.call(operations.containers.list, {}),
    total: () => 0,
  },
  { id: 'sessions.first', work: 'sessions, first page', make: sessions({}), total: allSessions },
  {
    id: 'sessions.last',
    work: 'sessions, last page',
    make: (of) => sessions(page(Math.ceil(of.sessions / PER_PAGE)))(of),
    total: allSessions,
  },
  {
    id: 'sessions.middle',
    work: 'sessions, page in the middle',
    make: (of) => sessions(page(Math.ceil(of.sessions / PER_PAGE / 2)))(of),
    total: allSessions,
    grows: true,
  },
  {
    id: 'sessions.active',
    work: 'sessions, the active ones',
    make: sessions({ filter: filter(['active', 'bool', true]) }),
  },
  {
    id: 'keys.first',
    work: 'public keys, first page',
    make: (of) => of.client.call(operations.publicKeys.list, { query: page(1) }),
    total: () => KEYS,
  },
  {
    id: 'rules.first',
    work: 'firewall rules, first page',
    make: (of) => of.client.call(operations.firewall.list, { query: page(1) }),
    total: () => KEYS,
  },
  {
    id: 'audit.first',
    work: 'audit log, first page',
    make: (of) => of.client.call(operations.audit.list, { query: page(1) }),
  },
  { id: 'stats', work: 'statistics', make: (of) => of.client.call(operations.stats.get, {}) },
]

export async function measureApi(options: BenchOptions): Promise<Row[]> {
  const folder = join(options.folder, 'api')
  await using site = await startSite({ folder, nodeFlags: options.nodeFlags('api') })
  const large = TenantId.parse(site.tenant)
  const small = await withDatabase(folder, async (database) => {
    const tenant = await addNamespace(database, { like: large, name: 'small' })
    for (const [namespace, count] of [
      [large, options.devices],
      [tenant, SMALL_DEVICES],
    ] as const) {
      options.say(`api: adding ${count} devices and ${count * SESSIONS_PER_DEVICE} sessions`)
      await addDevices(database, namespace, count)
      await addSessions(database, namespace, count * SESSIONS_PER_DEVICE)
      await addAudit(database, namespace, count)
      await addKeys(database, namespace, KEYS)
    }
    await tidy(database)
    return tenant
  })
  const namespaces = {
    large: namespaceOf(site.client, options.devices),
    small: namespaceOf(await clientOf(site, small), SMALL_DEVICES),
  }
  const rows: Row[] = []
  for (const call of CALLS) rows.push(await measureCall(namespaces, call, options))
  return rows
}

function namespaceOf(client: Client, count: number): Namespace {
  return { client, devices: count, sessions: count * SESSIONS_PER_DEVICE }
}

async function clientOf(site: Site, tenant: TenantId): Promise<Client> {
  const { body } = await site.client.call(operations.auth.switchNamespace, { params: { tenant } })
  return createClient({ origin: site.origin, token: () => body.token })
}

async function measureCall(
  namespaces: Readonly<Record<Size, Namespace>>,
  call: Call,
  options: BenchOptions,
): Promise<Row> {
  const times: Record<Size, number[]> = { large: [], small: [] }
  const rates: Record<Size, number[]> = { large: [], small: [] }
  const timed = async (size: Size): Promise<number> => {
    const startedAt = performance.now()
    const { total } = await call.make(namespaces[size])
    const milliseconds = performance.now() - startedAt
    const expected = call.total?.(namespaces[size])
    if (expected !== undefined && total !== expected)
      throw new Error(`${call.id}: a total of ${total}, not ${expected}`)
    return milliseconds
  }
  const candidate = (name: Size): Candidate => ({
    name,
    async measure() {
      const round: number[] = []
      for (let index = 0; index < IN_TURN; index += 1) round.push(await timed(name))
      times[name].push(...round)
      const startedAt = performance.now()
      await Promise.all(
        Array.from({ length: CALLERS }, async () => {
          for (let index = 0; index < CONCURRENT_CALLS / CALLERS; index += 1) await timed(name)
        }),
      )
      rates[name].push((CONCURRENT_CALLS / (performance.now() - startedAt)) * 1_000)
      return median(round)
    },
  })
  const medians = await interleave([candidate('large'), candidate('small')], options.repeats)
  const [large, small] = [medians.get('large') ?? [], medians.get('small') ?? []]
  const both = (figure: (size: Size) => number, digits: number): string =>
    `${figure('large').toFixed(digits)} to ${figure('small').toFixed(digits)}`
  return {
    id: `api.${call.id}`,
    work: `${call.work}, ${options.devices} devices`,
    peer: `${SMALL_DEVICES} devices`,
    unit: 'ratio',
    measured: spreadOf(pairedRatios(large, small)),
    ...(call.grows ? {} : { target: TARGETS.list }),
    note: [
      `p50 ${both((size) => median(times[size]), 1)} ms`,
      `p99 ${both((size) => percentile(times[size], 0.99), 1)} ms`,
      `${both((size) => median(rates[size]), 0)} a second`,
    ].join(', '),
    samples: { 'large ms': large, 'small ms': small, 'large a second': rates.large, 'small a second': rates.small },
  }
}
