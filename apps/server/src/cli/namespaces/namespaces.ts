// `bowline namespace …`: namespaces and their members.
import { Email, TenantId } from '@bowline/contract/schemas/common'
import { NamespaceName, RoleInput } from '@bowline/contract/schemas/namespace'
import { registrationMode } from '@bowline/contract/settings/registration'
import type { Command } from 'commander'
import { z } from 'zod'
import { parseInput } from '../../platform/input/parse-input.ts'
import { invite } from '../../members/invitations.ts'
import { addKnownMember, removeMember } from '../../members/service.ts'
import { createDefaultNamespace } from '../../namespaces/service.ts'
import { addAdministratedNamespaces } from '../administration/namespaces.ts'
import { onInstance } from '../instance.ts'
import { mailQueueOf } from '../accounts/notices.ts'
import { type Format, type Terminal, show } from '../terminal.ts'
import { accountOf } from '../accounts/users.ts'

const NewInvitation = z.object({ email: Email, role: RoleInput })

const NewNamespace = z.object({
  name: NamespaceName,
  tenant: TenantId.optional(),
  type: z.enum(['personal', 'team'], 'must be personal or team'),
})

/** @returns the command `bowline namespace` */
export function addNamespaceCommands(program: Command, terminal: Terminal): Command {
  const namespace = program.command('namespace').description('Namespaces and their members')

  namespace
    .command('create <name> <owner> [tenant]')
    .description('Create a namespace for a user')
    .option('--type <type>', 'personal or team', 'team')
    .option('--json', 'print JSON')
    .action((name: string, owner: string, tenant: string | undefined, options: Format & { readonly type: string }) =>
      onInstance(terminal, async (instance) => {
        const wanted = parseInput('body', NewNamespace, { name, tenant, type: options.type })
        const account = await accountOf(instance, owner)
        const { system, ids, settings } = instance
        const created = await system
          .transaction()
          .execute((db) => createDefaultNamespace(db, ids, settings.BOWLINE_EDITION, { ...wanted, owner: account.id }))
        show(terminal, options, { tenant_id: created, name: wanted.name, owner: account.username }, [
          `Created the namespace ${wanted.name} (${created}) of ${account.username}.`,
        ])
      }),
    )

  addAdministratedNamespaces(namespace, terminal)

  const member = namespace.command('member').description('Members of a namespace')

  member
    .command('add <username> <namespace> <role>')
    .description('Make a user a member: administrator, operator or observer')
    .option('--json', 'print JSON')
    .action((username: string, name: string, given: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const { role } = parseInput('body', z.object({ role: RoleInput }), { role: given })
        const tenant = await instance.tenantOf(name)
        const { id, username: user, email } = await accountOf(instance, username)
        // The operator vouches for the user: no invitation in any edition.
        await addKnownMember({ db: instance.system }, instance.contextOf(tenant), { email, role })
        show(terminal, format, { tenant_id: tenant, user_id: id, role }, [`${user} is ${role} of ${name} now.`])
      }),
    )

  member
    .command('invite <namespace> <email> <role>')
    .description('Print a link that makes the owner of an address a member: administrator, operator or observer')
    .option('--json', 'print JSON')
    .action((name: string, address: string, given: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const invited = parseInput('body', NewInvitation, { email: address, role: given })
        const tenant = await instance.tenantOf(name)
        const { system: db, ids, settings } = instance
        const mails = await mailQueueOf(instance)
        const deps = { db, ids, mails, invitesNewPeople: registrationMode(settings) !== 'closed' }
        const { user, link } = await invite(deps, instance.contextOf(tenant), invited, 'link')
        show(terminal, format, { tenant_id: tenant, user_id: user, role: invited.role, link }, [link])
      }),
    )

  member
    .command('remove <username> <namespace>')
    .description('End a membership: API keys of the member end, SSH keys are disabled, sessions are closed')
    .option('--json', 'print JSON')
    .action((username: string, name: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const tenant = await instance.tenantOf(name)
        const { id, username: user } = await accountOf(instance, username)
        const { disabled_keys: keys } = await removeMember({ db: instance.system }, instance.contextOf(tenant), id)
        show(terminal, format, { tenant_id: tenant, user_id: id, disabled_keys: keys }, [
          `${user} is no member of ${name} any more.`,
          ...keys.map((key) => `Disabled the SSH key ${key.name} (${key.fingerprint}).`),
        ])
      }),
    )
  return namespace
}
