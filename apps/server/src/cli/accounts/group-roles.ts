// `bowline sign-in role …`: roles that groups of the sign-in providers give, for operators.
import { fail } from '@bowline/contract/errors'
import { GroupRole } from '@bowline/contract/operations/single-sign-on'
import type { Command } from 'commander'
import { parseInput } from '../../platform/input/parse-input.ts'
import { rolesOfProviders, setGroupRoles } from '../../single-sign-on/group-roles.ts'
import { describeProviders } from '../../single-sign-on/openid/providers.ts'
import { type Instance, onInstance, providersOf } from '../instance.ts'
import { type Format, type Terminal, show, table } from '../terminal.ts'

/** Word for the SAML provider, which has no name here. */
const SAML = 'saml'

/** @returns null for SAML @throws {BowlineError} NOT_FOUND */
async function providerNamed(instance: Instance, name: string): Promise<string | null> {
  if (name === SAML) return null
  const found = (await describeProviders(providersOf(instance))).find((one) => one.name === name)
  return found ? found.id : fail('NOT_FOUND', { what: `The provider ${name}` })
}

/** @param change makes the new list of the present one */
async function changeRoles(
  instance: Instance,
  name: string,
  change: (roles: readonly GroupRole[]) => readonly GroupRole[],
): Promise<void> {
  const provider = await providerNamed(instance, name)
  await instance.system.transaction().execute(async (db) => {
    await setGroupRoles(db, provider, change((await rolesOfProviders(db)).of(provider)))
  })
}

export function addGroupRoleCommands(signIn: Command, terminal: Terminal): void {
  const role = signIn.command('role').description('roles that groups of the providers give at each sign-in')

  role
    .command('list')
    .description('List the roles that groups give')
    .option('--json', 'print JSON')
    .action((format: Format) =>
      onInstance(terminal, async (instance) => {
        const roles = await rolesOfProviders(instance.system)
        const providers = [{ id: null, name: SAML }, ...(await describeProviders(providersOf(instance)))]
        const rows = providers.flatMap(({ id, name }) => roles.of(id).map((one) => ({ provider: name, ...one })))
        const cells = rows.map((row) => [row.provider, row.group, row.namespace, row.role])
        show(terminal, format, rows, table(['PROVIDER', 'GROUP', 'NAMESPACE', 'ROLE'], cells))
      }),
    )

  role
    .command('add <provider> <group> <namespace> <role>')
    .description(`Let a group give a role in a namespace; the provider is ${SAML} or the name of an OpenID provider`)
    .option('--json', 'print JSON')
    .action(async (provider: string, group: string, namespace: string, given: string, format: Format) => {
      const added = parseInput('body', GroupRole, { group, namespace: namespace.toLowerCase(), role: given })
      await onInstance(terminal, async (instance) => {
        const isOther = (one: GroupRole) => one.group !== added.group || one.namespace !== added.namespace
        await changeRoles(instance, provider, (roles) => [...roles.filter(isOther), added])
        show(terminal, format, { provider, ...added }, [
          `${added.group} of ${provider} gives the role ${added.role} in ${added.namespace}.`,
        ])
      })
    })

  role
    .command('remove <provider> <group> <namespace>')
    .description('Take a role from a group; memberships that it gave end at the next sign-in')
    .option('--json', 'print JSON')
    .action((provider: string, group: string, namespace: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const isOther = (one: GroupRole) => one.group !== group || one.namespace !== namespace.toLowerCase()
        await changeRoles(instance, provider, (roles) => {
          const left = roles.filter(isOther)
          return left.length < roles.length ? left : fail('NOT_FOUND', { what: `The role of ${group}` })
        })
        show(terminal, format, { provider, group, namespace }, [
          `${group} of ${provider} gives no role in ${namespace}.`,
        ])
      }),
    )
}
