// `bowline namespace list|disable|enable|limit|hand-over`: namespaces of the whole instance.
import { ConfigError } from '@bowline/contract/config'
import { LIMITS } from '@bowline/contract/limits'
import {
  LIMIT_NAMES,
  type ListedDeletedNamespace,
  NamespaceLimits,
} from '@bowline/contract/schemas/instance/administration'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import type { Command } from 'commander'
import {
  handOverNamespace,
  limitEveryNamespace,
  limitNamespace,
  listDeletedNamespaces,
  switchNamespace,
} from '../../administration/namespaces.ts'
import { defaultLimits, limitsOf } from '../../namespaces/administration.ts'
import { listAllNamespaces } from '../../namespaces/service.ts'
import { parseInput } from '../../platform/input/parse-input.ts'
import { accountOf } from '../accounts/users.ts'
import { type Instance, onInstance } from '../instance.ts'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { BY_OPERATOR, administrationOf } from './deps.ts'

/** Namespaces with the text in their name, or in the address of their owner. */
async function matching(instance: Instance, search: string): Promise<Namespace[]> {
  const text = search.trim().toLowerCase()
  const all = await listAllNamespaces(instance.system)
  return all.filter((one) => one.name.includes(text) || ownerOf(one).includes(text))
}

const ownerOf = ({ members }: Namespace): string => members.find(({ role }) => role === 'owner')?.email ?? ''

type ListOptions = Format & { readonly search?: string; readonly deleted?: boolean }

async function everyDeleted({ system }: Instance, search: string): Promise<ListedDeletedNamespace[]> {
  const found: ListedDeletedNamespace[] = []
  for (let page = 1; ; page += 1) {
    const query = { search, page, per_page: LIMITS.perPage.max }
    const { items, total } = await listDeletedNamespaces({ system }, query)
    found.push(...items)
    if (items.length === 0 || found.length >= total) return found
  }
}

/** Options such as `--devices 10`, `--members unlimited` and `--tunnels default`. */
type LimitOptions = Format & Readonly<Record<string, string | boolean | undefined>>

const OPTIONS = {
  devices: 'devices',
  members: 'members',
  sessions: 'sessions',
  tunnels: 'tunnels',
  api_keys: 'apiKeys',
}

function wantedLimits(options: LimitOptions, isDefault: boolean) {
  const wanted: Record<string, number | null> = {}
  for (const name of LIMIT_NAMES) {
    const typed = options[OPTIONS[name]]
    if (typeof typed !== 'string') continue
    if (typed === 'unlimited') wanted[name] = -1
    else if (typed === 'default' && !isDefault) wanted[name] = null
    else if (/^\d{1,7}$/.test(typed)) wanted[name] = Number(typed)
    else
      throw new ConfigError([
        `--${name.replace('_', '-')} must be a number, unlimited${isDefault ? '' : ' or default'}.`,
      ])
  }
  return parseInput('body', NamespaceLimits.partial(), wanted)
}

const shown = (value: number | null): string =>
  value === null ? 'default' : value === -1 ? 'unlimited' : String(value)

export function addAdministratedNamespaces(namespace: Command, terminal: Terminal): void {
  namespace
    .command('list')
    .description('List the namespaces')
    .option('--search <text>', 'only those with the text in their name or their owner')
    .option('--deleted', 'those that are deleted and can be restored')
    .option('--json', 'print JSON')
    .action(({ search = '', deleted = false, ...format }: ListOptions) =>
      onInstance(terminal, async (instance) => {
        if (deleted) {
          const found = await everyDeleted(instance, search)
          const rows = found.map(({ name, tenant_id: tenant, owner, deleted_at: at, removed_at: until }) => [
            name,
            tenant,
            owner.email,
            at,
            until,
          ])
          show(terminal, format, found, table(['NAME', 'TENANT ID', 'OWNER', 'DELETED', 'REMOVED FOR GOOD'], rows))
          return
        }
        const namespaces = await matching(instance, search)
        const rows = namespaces.map((one) => [
          one.name,
          one.tenant_id,
          ownerOf(one),
          String(one.members.length),
          String(one.devices_count),
          one.disabled ? 'disabled' : '',
        ])
        const headings = ['NAME', 'TENANT ID', 'OWNER', 'MEMBERS', 'DEVICES', '']
        show(terminal, format, namespaces, table(headings, rows))
      }),
    )

  for (const [verb, isDisabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    namespace
      .command(`${verb} <name>`)
      .description(
        isDisabled
          ? 'Disable a namespace: logins, tunnels and calls are refused, and its sessions end'
          : 'Enable a disabled namespace',
      )
      .option('--json', 'print JSON')
      .action((name: string, format: Format) =>
        onInstance(terminal, async (instance) => {
          const tenant = await instance.tenantOf(name)
          await switchNamespace(administrationOf(instance), BY_OPERATOR, tenant, isDisabled)
          show(terminal, format, { tenant_id: tenant, name, disabled: isDisabled }, [
            isDisabled
              ? `The namespace ${name} is disabled; its sessions end.`
              : `The namespace ${name} can be used again.`,
          ])
        }),
      )
  }

  const limit = namespace
    .command('limit [name]')
    .description(
      'Show or set the limits of a namespace; without a name those of namespaces that have none of their own',
    )
    .option('--json', 'print JSON')
  for (const name of LIMIT_NAMES) limit.option(`--${name.replace('_', '-')} <limit>`, 'a number, unlimited or default')
  limit.action((name: string | undefined, options: LimitOptions) =>
    onInstance(terminal, async (instance) => {
      const wanted = wantedLimits(options, name === undefined)
      const isChange = Object.keys(wanted).length > 0
      const deps = administrationOf(instance)
      const { system } = instance
      let limits: NamespaceLimits
      if (name === undefined) {
        limits = isChange
          ? await limitEveryNamespace(deps, BY_OPERATOR, wanted as Parameters<typeof limitEveryNamespace>[2])
          : await defaultLimits(system)
      } else {
        const tenant = await instance.tenantOf(name)
        limits = isChange
          ? await limitNamespace(deps, BY_OPERATOR, tenant, wanted)
          : await limitsOf({ db: system, tenant })
      }
      const rows = LIMIT_NAMES.map((one) => [one.replace('_', '-'), shown(limits[one])])
      show(terminal, { json: options.json === true }, limits, table(['WHAT', 'AT MOST'], rows))
    }),
  )

  namespace
    .command('hand-over <name> <username>')
    .description('Make another member the owner; the owner before becomes an administrator of the namespace')
    .option('--json', 'print JSON')
    .action((name: string, username: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const tenant = await instance.tenantOf(name)
        const account = await accountOf(instance, username)
        await handOverNamespace(administrationOf(instance), BY_OPERATOR, tenant, account.id)
        show(terminal, format, { tenant_id: tenant, name, owner: account.id }, [
          `${account.username} owns ${name} now.`,
        ])
      }),
    )
}
