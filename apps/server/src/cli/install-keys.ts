// `bowline install-key …`: install keys of a namespace, on behalf of its owner.
import { fail } from '@bowline/contract/errors'
import { InstallKeyBody } from '@bowline/contract/schemas/fleet/install-key'
import { UserId } from '@bowline/contract/schemas/common'
import type { Command } from 'commander'
import { createInstallKey, listKeys, removeInstallKey } from '../install-keys/service.ts'
import { parseInput } from '../platform/input/parse-input.ts'
import { getNamespace } from '../namespaces/service.ts'
import { onInstance } from './instance.ts'
import { type Format, type Terminal, show } from './terminal.ts'

interface Options extends Format {
  readonly pending?: boolean
  readonly tag: readonly string[]
  readonly uses?: string
  readonly expiresDays: string
}

const PER_PAGE = 100

export function addInstallKeyCommands(program: Command, terminal: Terminal): void {
  const keys = program.command('install-key').description('Keys with which devices register')
  keys
    .command('create <name> <namespace>')
    .description('Create a key; it is shown this once')
    .option('--pending', 'devices wait for their acceptance', false)
    .option('--tag <tag>', 'tag of the devices; up to three', (tag: string, before: string[]) => [...before, tag], [])
    .option('--uses <number>', 'devices that may register with it; default: any number')
    .option('--expires-days <days>', '1 to 365, or -1: never', '30')
    .option('--json', 'print JSON')
    .action((name: string, namespace: string, options: Options) =>
      onInstance(terminal, async (instance) => {
        const days = Number(options.expiresDays)
        const body = parseInput('body', InstallKeyBody, {
          name,
          accepts: options.pending !== true,
          tags: options.tag,
          max_uses: options.uses === undefined ? null : Number(options.uses),
          expires_in_days: days === -1 ? null : days,
        })
        const tenant = await instance.tenantOf(namespace)
        const { members } = await getNamespace(instance.system, tenant)
        const owner = members.find(({ role }) => role === 'owner') ?? fail('NOT_FOUND', { what: 'The owner' })
        const key = await createInstallKey(instance.contextOf(tenant), body, UserId.parse(owner.id))
        show(terminal, options, key, [key.key])
      }),
    )
  keys
    .command('list <namespace>')
    .description('List the keys')
    .option('--json', 'print JSON')
    .action((namespace: string, options: Format) =>
      onInstance(terminal, async (instance) => {
        const ctx = instance.contextOf(await instance.tenantOf(namespace))
        const { items } = await listKeys(ctx, { page: 1, per_page: PER_PAGE })
        const lines = items.map(({ name, accepts, tags, uses, max_uses, expires_at }) =>
          [
            name,
            accepts ? 'accepts' : 'pending',
            tags.join(',') || '-',
            `${uses}/${max_uses ?? '∞'}`,
            expires_at ?? 'never',
          ].join('\t'),
        )
        show(terminal, options, items, lines)
      }),
    )
  keys
    .command('remove <name> <namespace>')
    .description('Remove a key; devices that used it stay')
    .option('--json', 'print JSON')
    .action((name: string, namespace: string, options: Format) =>
      onInstance(terminal, async (instance) => {
        await removeInstallKey(instance.contextOf(await instance.tenantOf(namespace)), name)
        show(terminal, options, { removed: name }, [`The install key ${name} has been removed.`])
      }),
    )
}
