// Options that choose devices, as the list's filter of the API; a saved view of the console is a choice of the same.
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import type { SavedView } from '@bowline/contract/operations/fleet/views'
import { Filter } from '@bowline/contract/schemas/filter'
import { searchConditions } from '@bowline/contract/schemas/lists/device-search'
import { type ConditionGroup, encodeFilter, where } from '@bowline/contract/schemas/lists/filter-text'
import type { Command } from 'commander'
import type { ServerClient } from './client.ts'

export interface FilterOptions {
  readonly search?: string
  readonly system: readonly string[]
  readonly arch: readonly string[]
  readonly agentVersion: readonly string[]
  readonly online?: boolean
  readonly offline?: boolean
  readonly trouble?: string
  readonly incident?: string
  readonly filter?: string
}

const collect = (one: string, all: readonly string[]): string[] => [...all, one]

/** Adds the options that choose devices, except by tag, to a command. */
export function withDeviceFilter(command: Command): Command {
  return command
    .option(
      '--search <words>',
      'only with each of these words in what is known of them; tag:kiosk -arch:arm64 is:offline look at one thing',
    )
    .option('--system <name>', 'only with this system; may be repeated', collect, [])
    .option('--arch <name>', 'only with this architecture; may be repeated', collect, [])
    .option('--agent-version <version>', 'only with this version of the agent; may be repeated', collect, [])
    .option('--online', 'only those that are online')
    .option('--offline', 'only those that are offline')
    .option('--trouble <word>', 'only those in this trouble: disk, memory, load, latency, rebooted; or any')
    .option('--incident <id>', 'only those that went offline in this incident')
    .option('--filter <json>', 'only those that this filter of the API finds, as JSON')
}

/**
 * The filter of the API: every option must hold, one of the values of an option that is repeated.
 * @returns undefined where nothing is chosen
 * @throws {ConfigError} naming the option
 */
export function deviceFilterOf(options: FilterOptions, tags: readonly string[] = []): string | undefined {
  const { search = '', system, arch, agentVersion, online, offline, trouble, incident, filter } = options
  if (online && offline) throw new ConfigError(['--online and --offline exclude each other.'])
  const chosen = encodeFilter([
    { join: 'and', conditions: searchConditions(search) },
    any('tags', tags),
    any('info.pretty_name', system),
    any('info.arch', arch),
    any('info.version', agentVersion),
    {
      join: 'and',
      conditions: [
        ...(online || offline ? [where('online', 'bool', online === true)] : []),
        ...(trouble === undefined ? [] : [where('trouble', 'eq', trouble)]),
        ...(incident === undefined ? [] : [where('incident', 'eq', incident)]),
      ],
    },
  ])
  if (filter === undefined) return chosen
  if (chosen !== undefined)
    throw new ConfigError(['--filter and the other options that choose devices exclude each other.'])
  return encodeJson(filter)
}

/** Query of the API for a saved view of the console. */
export function queryOfView({ query }: Pick<SavedView, 'query'>, now: number) {
  const values = (name: string): string[] => [query[name] ?? []].flat().map(String)
  const [text] = values('q')
  const [presence, seen, favourites, hostKey] = ['presence', 'seen', 'fav', 'hostKey'].map((name) => values(name)[0])
  const [status, sort, order] = ['status', 'sort', 'order'].map((name) => values(name)[0])
  const filter = encodeFilter([
    { join: 'and', conditions: searchConditions(text ?? '') },
    any('tags', values('tag')),
    any('info.pretty_name', values('system')),
    any('info.arch', values('arch')),
    any('info.version', values('version')),
    {
      join: 'and',
      conditions: [
        ...(presence === undefined ? [] : [where('online', 'bool', presence === 'online')]),
        ...(favourites === 'yes' ? [where('favorite', 'bool', true)] : []),
        ...(hostKey === 'changed' ? [where('host_key_changed', 'bool', true)] : []),
        ...values('trouble').map((word) => where('trouble', 'eq', word)),
        ...values('incident').map((id) => where('incident', 'eq', id)),
        ...(seen === undefined ? [] : [where('last_seen', seen.startsWith('-') ? 'lt' : 'gt', ago(seen, now))]),
      ],
    },
  ])
  return { filter, status, sort_by: sort, order_by: order }
}

/** @throws {Error} when there is none */
export async function viewNamed({ call }: ServerClient, name: string, list: SavedView['list']): Promise<SavedView> {
  const { body } = await call(operations.views.list, { query: { list } })
  const own = body.find((view) => view.id === name || (view.name === name && !view.shared))
  const found = own ?? body.find((view) => view.name === name)
  if (!found) throw new Error(`There is no saved view of ${list} named ${name}.`)
  return found
}

const any = (name: string, values: readonly string[]): ConditionGroup => ({
  join: 'or',
  conditions: values.map((value) => where(name, 'eq', value)),
})

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24 }

/** Time of an age such as `-7d`. */
function ago(age: string, now: number): string {
  const [, number = '0', unit = 'h'] = /^-?(\d+)([hd])$/.exec(age) ?? []
  return new Date(now - Number(number) * (HOURS[unit] ?? 1) * 3_600_000).toISOString()
}

function encodeJson(text: string): string {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new ConfigError(['--filter must be JSON.'])
  }
  const filter = Filter.safeParse(json)
  if (!filter.success) {
    throw new ConfigError(filter.error.issues.map(({ path, message }) => `--filter: ${path.join('.')} ${message}.`))
  }
  return Buffer.from(JSON.stringify(filter.data)).toString('base64')
}
