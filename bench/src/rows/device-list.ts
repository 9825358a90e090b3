// A page of the device list of a large namespace beside the same page of a small one, in the same database.
import { join } from 'node:path'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import { type Candidate, interleave } from '../interleave.ts'
import type { BenchOptions } from '../options.ts'
import type { Row } from '../row.ts'
import { addDevices, addNamespace, withDatabase } from '../seed.ts'
import { type Site, startSite } from '../site.ts'
import { median, pairedRatios, spreadOf } from '../statistics.ts'
import { TARGETS } from '../targets.ts'

const SMALL = 1_000
const CALLS_PER_REPEAT = 10
const PER_PAGE = 10

/** Pages that people look at: as it opens, sorted by a column, and the last one. */
const PAGES = {
  first: { sort_by: 'last_seen', order_by: 'desc' },
  'by name': { sort_by: 'name', order_by: 'asc' },
  last: { sort_by: 'last_seen', order_by: 'desc' },
} as const
type PageName = keyof typeof PAGES

export async function measureDeviceList(options: BenchOptions): Promise<Row[]> {
  const folder = join(options.folder, 'list')
  await using site = await startSite({ folder, nodeFlags: options.nodeFlags('list') })
  const large = TenantId.parse(site.tenant)
  const small = await withDatabase(folder, async (database) => {
    const tenant = await addNamespace(database, { like: large, name: 'small' })
    options.say(`list: adding ${options.devices} and ${SMALL} devices`)
    await addDevices(database, large, options.devices)
    await addDevices(database, tenant, SMALL)
    return tenant
  })
  const clients = { large: site.client, small: await clientOf(site, small) }
  const rows: Row[] = []
  for (const page of ['first', 'by name', 'last'] as const) rows.push(await measurePage(clients, page, options))
  return rows
}

type Client = Site['client']

async function clientOf(site: Site, tenant: TenantId): Promise<Client> {
  const { body } = await site.client.call(operations.auth.switchNamespace, { params: { tenant } })
  return createClient({ origin: site.origin, token: () => body.token })
}

async function measurePage(
  clients: Readonly<Record<'large' | 'small', Client>>,
  page: PageName,
  options: BenchOptions,
): Promise<Row> {
  const candidate = (name: 'large' | 'small', count: number): Candidate => {
    const number = page === 'last' ? Math.ceil(count / PER_PAGE) : 1
    const query = { ...PAGES[page], page: String(number), per_page: String(PER_PAGE) }
    const call = async (): Promise<number> => {
      const startedAt = performance.now()
      const { body, total } = await clients[name].call(operations.devices.list, { query })
      const milliseconds = performance.now() - startedAt
      if (total !== count || body.length === 0) throw new Error(`${body.length} of ${total} devices, not of ${count}`)
      return milliseconds
    }
    return {
      name,
      async measure() {
        const times: number[] = []
        for (let index = 0; index < CALLS_PER_REPEAT; index += 1) times.push(await call())
        return median(times)
      },
    }
  }
  const times = await interleave([candidate('large', options.devices), candidate('small', SMALL)], options.repeats)
  const [large, small] = [times.get('large') ?? [], times.get('small') ?? []]
  return {
    id: `list.${page.replace(' ', '-')}`,
    work: `device list, ${page === 'by name' ? 'first page by name' : `${page} page`}, ${options.devices} devices`,
    peer: `${SMALL} devices`,
    unit: 'ratio',
    measured: spreadOf(pairedRatios(large, small)),
    target: TARGETS.deviceList,
    note: `${spreadOf(large).median.toFixed(1)} to ${spreadOf(small).median.toFixed(1)} ms`,
    samples: { 'large ms': large, 'small ms': small },
  }
}
