// `bowline user reset-factors`: a way back in for people who have lost every factor.
import type { Command } from 'commander'
import { systemClock } from '@bowline/base/clock'
import { endBrowserSessionsOf } from '../../auth/service.ts'
import { resetByOperator } from '../../mfa/reset.ts'
import { onInstance } from '../instance.ts'
import { type Format, type Terminal, show } from '../terminal.ts'
import { mailQueueOf } from './notices.ts'
import { accountOf } from './users.ts'

/** @param user the command `bowline user` */
export function addFactorCommands(user: Command, terminal: Terminal): void {
  user
    .command('reset-factors <username>')
    .description('Remove every second factor of an account and end its sessions: for people who have lost them')
    .option('--json', 'print JSON')
    .action((name: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const account = await accountOf(instance, name)
        const deps = { db: instance.system, clock: systemClock, mails: await mailQueueOf(instance) }
        await resetByOperator(deps, endBrowserSessionsOf, account)
        const { username } = account
        const wayIn =
          account.passwordHash === undefined
            ? `${username} has no way in now; set a password with bowline user password.`
            : 'The password alone signs in now.'
        show(terminal, format, { id: account.id, username }, [
          `Removed the second factor of ${username}; every session has ended. ${wayIn}`,
        ])
      }),
    )
}
