// `bowline devices`: devices of the namespace, for somebody who is signed in at a server.
import { systemClock } from '@bowline/base/clock'
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import type { Device } from '@bowline/contract/schemas/device'
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { signedIn } from './client.ts'
import { type FilterOptions, deviceFilterOf, queryOfView, viewNamed, withDeviceFilter } from './device-selection.ts'

const HEADINGS = ['NAME', 'STATE', 'SYSTEM', 'TAGS', 'ADDRESS', 'LAST SEEN', 'UID']

interface ListOptions extends Format, FilterOptions {
  readonly view?: string
  readonly tag: readonly string[]
  readonly status?: string
  readonly sort?: string
  readonly ascending?: boolean
  readonly limit: string
  readonly page: string
}

const collect = (one: string, all: readonly string[]): string[] => [...all, one]

/** @param device the group of commands about devices, which lists them without a further word */
export function addDeviceListCommand(device: Command, terminal: Terminal): void {
  const list = device
    .command('list', { isDefault: true })
    .description('List devices of your namespace, at the server that you are signed in to')
    .option('--view <name>', 'those of a saved view, in its order')
    .option('--tag <tag>', 'only with this tag; may be repeated', collect, [])
  withDeviceFilter(list)
    .option('--status <status>', 'accepted, pending, rejected or removed')
    .option('--sort <field>', 'order by this field: last_seen, name, created_at, online, address, system, version …')
    .option('--ascending', 'the other way round')
    .option('--limit <number>', 'at most so many: 1 to 100', '25')
    .option('--page <number>', 'the next ones', '1')
    .option('--json', 'print JSON')
    .action(async ({ json, view, tag, status, sort, ascending, limit, page, ...options }: ListOptions) => {
      const filter = deviceFilterOf(options, tag)
      if (view !== undefined && filter !== undefined) {
        throw new ConfigError(['--view and the options that choose devices exclude each other.'])
      }
      const client = await signedIn(terminal)
      const saved = view === undefined ? undefined : await viewNamed(client, view, 'devices')
      const viewed = saved && queryOfView(saved, systemClock.now())
      const query = {
        filter: viewed?.filter ?? filter,
        status: status ?? viewed?.status ?? 'accepted',
        sort_by: sort ?? viewed?.sort_by,
        order_by: ascending ? 'asc' : viewed?.order_by,
        per_page: limit,
        page,
      }
      const { body, total } = await client.call(operations.devices.list, { query: given(query) })
      const rest = total > body.length ? [`${body.length} of ${total} devices.`] : []
      show(terminal, json ? { json } : {}, body, [...table(HEADINGS, body.map(cellsOf)), ...rest])
    })
}

/** The query without what the server decides. */
function given(query: object): never {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as never
}

function cellsOf({ name, online, status, info, tags, remote_addr, last_seen, uid }: Device): string[] {
  const state = status === 'accepted' ? (online ? 'online' : 'offline') : status
  return [name, state, info?.pretty_name ?? '', tags.join(','), remote_addr ?? '', last_seen, uid]
}
