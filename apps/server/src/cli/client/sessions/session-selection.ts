// Options that choose sessions, as the list's filter of the API.
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import { SESSION_SORTS } from '@bowline/contract/operations/sessions'
import { DeviceUid } from '@bowline/contract/schemas/common'
import type { Filter } from '@bowline/contract/schemas/filter'
import type { Command } from 'commander'
import { parseTime } from '../../arguments.ts'
import type { ServerClient } from '../client.ts'

export interface FilterOptions {
  readonly active?: boolean
  readonly failed?: boolean
  readonly device?: string
  readonly user?: string
  readonly person?: string
  readonly key?: string
  readonly address?: string
  readonly from?: string
  readonly to?: string
}

export interface SelectionOptions extends FilterOptions {
  readonly sort: string
  readonly ascending?: boolean
}

/** Adds the options to a command that lists sessions in an order. */
export function withSelection(command: Command): Command {
  return withFilter(command)
    .option('--sort <field>', `order: ${SESSION_SORTS.join(', ')}`, 'last_seen')
    .option('--ascending', 'the other way round')
}

/** Adds the options that narrow the list to a command. */
export function withFilter(command: Command): Command {
  return command
    .option('--active', 'only those that are open')
    .option('--failed', 'only sign-ins that failed')
    .option('--device <device>', 'only with this device: its name or uid')
    .option('--user <name>', 'only as this user of the device')
    .option('--person <address>', 'only of the member with this e-mail address')
    .option('--key <fingerprint>', 'only with this key, as ssh-keygen -l prints it')
    .option('--address <address>', 'only from this address')
    .option('--from <time>', 'only begun from this time on, such as 2030-01-01 or 2030-01-01T12:00:00Z')
    .option('--to <time>', 'only begun before this time')
}

type Condition = Extract<Filter[number], { type: 'property' }>['params']

/**
 * The query of the API.
 * @throws {ConfigError} naming the option
 * @throws {Error} for a device that is not there
 */
export async function queryOf(client: ServerClient, options: SelectionOptions) {
  const sort = SESSION_SORTS.find((known) => known === options.sort)
  if (!sort) throw new ConfigError([`--sort must be one of ${SESSION_SORTS.join(', ')}.`])
  const order = options.ascending ? ('asc' as const) : ('desc' as const)
  return { sort_by: sort, order_by: order, ...(await filterOf(client, options)) }
}

/**
 * The filter of the API; without options none.
 * @throws {ConfigError} naming the option
 * @throws {Error} for a device that is not there
 */
export async function filterOf({ call }: ServerClient, options: FilterOptions): Promise<{ filter?: string }> {
  const { active, failed, device, user, person, key, address, from, to } = options
  const texts = { username: user, person, fingerprint: key, ip_address: address }
  const conditions: Condition[] = [
    ...(active ? [{ name: 'active', operator: 'bool', value: true } as const] : []),
    ...(failed
      ? [
          { name: 'closed', operator: 'bool', value: true } as const,
          { name: 'authenticated', operator: 'bool', value: false } as const,
        ]
      : []),
    ...Object.entries(texts).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, operator: 'eq', value } as const],
    ),
    // The filter knows no "from": a millisecond is its precision.
    ...(from === undefined ? [] : [begun('gt', new Date(parseTime('--from', from).getTime() - 1))]),
    ...(to === undefined ? [] : [begun('lt', parseTime('--to', to))]),
  ]
  if (device !== undefined) {
    conditions.push({ name: 'device_uid', operator: 'eq', value: await deviceNamed(call, device) })
  }
  return conditions.length === 0 ? {} : { filter: encode(conditions) }
}

const begun = (operator: 'gt' | 'lt', at: Date): Condition => ({
  name: 'started_at',
  operator,
  value: at.toISOString(),
})

/** Base64 of conditions that all hold. */
function encode(conditions: readonly Condition[]): string {
  const all: Filter = [
    ...conditions.map((params) => ({ type: 'property' as const, params })),
    { type: 'operator', params: { name: 'and' } },
  ]
  return Buffer.from(JSON.stringify(all)).toString('base64')
}

/** Uid of a device named by its name or uid. @throws {Error} when there is none */
export async function deviceNamed(call: ServerClient['call'], typed: string): Promise<DeviceUid> {
  const uid = DeviceUid.safeParse(typed)
  if (uid.success) return uid.data
  const filter = encode([{ name: 'name', operator: 'eq', value: typed.toLowerCase() }])
  for (const { list } of [operations.devices, operations.containers]) {
    const [found] = (await call(list, { query: { filter, status: '', per_page: '1' } })).body
    if (found) return found.uid
  }
  throw new Error(`There is no device named ${typed}.`)
}
