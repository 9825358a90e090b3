// `bowline api-key …`: API keys created on behalf of a namespace's owner.
import { ApiKeyBody } from '@bowline/contract/schemas/api-key'
import { fail } from '@bowline/contract/errors'
import { UserId } from '@bowline/contract/schemas/common'
import type { Command } from 'commander'
import { createApiKey } from '../api-keys/service.ts'
import { parseInput } from '../platform/input/parse-input.ts'
import { getNamespace } from '../namespaces/service.ts'
import { onInstance } from './instance.ts'
import { type Format, type Terminal, show } from './terminal.ts'

interface Options extends Format {
  readonly role: string
  readonly expiresDays: string
  readonly scope?: readonly string[]
}

export function addApiKeyCommands(program: Command, terminal: Terminal): void {
  program
    .command('api-key')
    .description('API keys')
    .command('create <name> <namespace>')
    .description('Create a key of the owner of a namespace; it is shown this once')
    .option('--role <role>', 'administrator, operator or observer', 'administrator')
    .option('--expires-days <days>', '-1 (never), 30, 60, 90 or 365', '-1')
    .option('--scope <scope...>', 'limit the key to areas of the API, as devices:read sessions:write')
    .option('--json', 'print JSON')
    .action((name: string, namespace: string, options: Options) =>
      onInstance(terminal, async (instance) => {
        const { role, expiresDays, scope: scopes } = options
        const body = parseInput('body', ApiKeyBody, {
          name,
          role,
          scopes,
          expires_at: Number(expiresDays),
        })
        const tenant = await instance.tenantOf(namespace)
        const { members } = await getNamespace(instance.system, tenant)
        const owner = members.find((member) => member.role === 'owner') ?? fail('NOT_FOUND', { what: 'The owner' })
        const creator = { id: UserId.parse(owner.id), role: owner.role }
        const key = await createApiKey(instance, instance.contextOf(tenant), body, creator)
        show(terminal, options, key, [key.id])
      }),
    )
}
