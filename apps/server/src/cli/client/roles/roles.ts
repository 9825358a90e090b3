// `bowline roles …`: roles of the namespace beside the four, for somebody who is signed in at a server.
import { ApiError } from '@bowline/contract/client'
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import { type OwnRole, OwnRoleBody } from '@bowline/contract/operations/fleet/roles'
import { GRANTABLE } from '@bowline/contract/roles'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../../terminal.ts'
import { type ServerClient, signedIn } from '../client.ts'
import { currentSignIn } from '../login.ts'
import { memberNamed, membersOf } from '../members.ts'

const { roles } = operations
const HEADINGS = ['NAME', 'DEVICES', 'MEMBERS', 'PERMISSIONS']
const PERMISSIONS = [...GRANTABLE.devices, ...GRANTABLE.namespace].join(', ')

interface AddOptions extends Format {
  readonly may: readonly string[]
  readonly tag: readonly string[]
}

const collect = (one: string, all: readonly string[]): string[] => [...all, one]

export function addRoleCommands(program: Command, terminal: Terminal): void {
  const own = program
    .command('roles')
    .description('Roles of your namespace beside the four that each has, at the server that you are signed in to')

  own
    .command('list')
    .description('List the roles, with what they give and how many members have each')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const { call } = await signedIn(terminal)
      const { body } = await call(roles.list, {})
      show(terminal, format, body, table(HEADINGS, body.map(cellsOf)))
    })

  own
    .command('add <name>')
    .description('Add a role')
    .option('--may <permission>', `may be repeated; one of ${PERMISSIONS}`, collect, [])
    .option('--tag <tag>', 'on devices with this tag only; may be repeated', collect, [])
    .option('--json', 'print JSON')
    .action(async (name: string, { json, may, tag }: AddOptions) => {
      const fields = OwnRoleBody.safeParse({ name, permissions: may, tags: tag.length === 0 ? null : tag })
      if (!fields.success)
        throw new ConfigError(fields.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`))
      const { call } = await signedIn(terminal)
      const { body } = await call(roles.create, { body: fields.data }).catch(explain)
      show(terminal, json ? { json } : {}, body, [`Added the role ${body.name}.`])
    })

  own
    .command('remove <name>')
    .description('Remove a role; its members lose what it gives at once')
    .option('--json', 'print JSON')
    .action(async (name: string, format: Format) => {
      const client = await signedIn(terminal)
      const { id } = await roleNamed(client, name)
      await client.call(roles.remove, { params: { id } })
      show(terminal, format, { id }, [`Removed the role ${name}.`])
    })

  own
    .command('assign <email> [names...]')
    .description('Set which of the roles a member has; without a name: none')
    .option('--json', 'print JSON')
    .action(async (email: string, names: readonly string[], format: Format) => {
      const client = await signedIn(terminal)
      const user = memberNamed(await membersOf(terminal, client), email)
      const tenant = TenantId.parse((await currentSignIn(terminal)).person.tenant)
      const found: OwnRole[] = []
      for (const name of names) found.push(await roleNamed(client, name))
      const ids = found.map(({ id }) => id)
      await client.call(roles.assign, { params: { tenant, uid: user }, body: { roles: ids } }).catch(explain)
      const said = names.length === 0 ? 'no role of the namespace' : `the roles ${names.join(', ')}`
      show(terminal, format, { roles: ids }, [`${email} has ${said} now.`])
    })
}

/** @throws {Error} when none has the name */
async function roleNamed({ call }: ServerClient, name: string): Promise<OwnRole> {
  const { body } = await call(roles.list, {})
  const found = body.find((role) => role.name.toLowerCase() === name.toLowerCase())
  if (!found) throw new Error(`The namespace has no role named ${name}.`)
  return found
}

function cellsOf({ name, permissions, tags, members }: OwnRole): string[] {
  return [name, tags?.join(',') ?? 'all', String(members.length), permissions.join(',')]
}

/** @throws {Error} always: what the server answered, in words for a command line */
function explain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'FRESH_PROOF_REQUIRED') {
    throw new Error('Roles change after your second factor only: change them in the console.')
  }
  throw error
}
