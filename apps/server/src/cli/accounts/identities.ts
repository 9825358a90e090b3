// `bowline user identities` and `bowline user remove-identity`: identities of providers that sign in to an account.
import { fail } from '@bowline/contract/errors'
import type { Command } from 'commander'
import { systemClock } from '@bowline/base/clock'
import { listIdentities, removeOf } from '../../single-sign-on/identities/service.ts'
import { COMMAND_LINE } from '../../users/activity.ts'
import { onInstance } from '../instance.ts'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { mailQueueOf } from './notices.ts'
import { accountOf } from './users.ts'

const HEADER = ['ID', 'PROVIDER', 'E-MAIL', 'SUBJECT', 'LINKED', 'BY', 'LAST USED']

/** @param user the command `bowline user` */
export function addIdentityCommands(user: Command, terminal: Terminal): void {
  user
    .command('identities <username>')
    .description('List the identities of sign-in providers that are linked to an account')
    .option('--json', 'print JSON')
    .action((username: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const { id } = await accountOf(instance, username)
        const identities = await listIdentities(instance.system, id)
        const rows = identities.map((one) => [
          one.id,
          one.provider,
          one.email,
          one.subject,
          one.linked_at,
          one.linked_by,
          one.last_used_at,
        ])
        show(terminal, format, identities, table(HEADER, rows))
      }),
    )

  user
    .command('remove-identity <username> <identity>')
    .description('Remove a linked identity by its id, such as one that its owner does not know; sessions stay')
    .option('--json', 'print JSON')
    .action((username: string, identity: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const account = await accountOf(instance, username)
        const known = await listIdentities(instance.system, account.id)
        const { id } = known.find((one) => one.id === identity) ?? fail('NOT_FOUND', { what: 'The identity' })
        const mails = await mailQueueOf(instance)
        const deps = { db: instance.system, clock: systemClock, mails, contextOf: instance.contextOf }
        const { removed, hasWayIn } = await removeOf(deps, account.id, id, COMMAND_LINE)
        const name = account.username
        show(terminal, format, removed, [
          `Removed the identity ${removed.email} at ${removed.provider} of ${name}. Sessions stay: bowline user sign-out ${name} ends them.`,
          ...(hasWayIn ? [] : [`${name} has no way in now; set a password with bowline user password.`]),
        ])
      }),
    )
}
