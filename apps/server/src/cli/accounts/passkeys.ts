// `bowline user passkeys` and `bowline user remove-passkey`: passkeys of an account.
import { NEVER } from '@bowline/contract/schemas/common'
import type { Command } from 'commander'
import { systemClock } from '@bowline/base/clock'
import { listPasskeys, removeForOperator } from '../../passkeys/service.ts'
import { onInstance } from '../instance.ts'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { accountOf } from './users.ts'

/** @param user the command `bowline user` */
export function addPasskeyCommands(user: Command, terminal: Terminal): void {
  user
    .command('passkeys <username>')
    .description('List the passkeys of an account')
    .option('--json', 'print JSON')
    .action((username: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const { id } = await accountOf(instance, username)
        const passkeys = await listPasskeys(instance.system, id)
        const rows = passkeys.map((passkey) => [
          passkey.id,
          passkey.name,
          passkey.created_at,
          passkey.last_used_at === NEVER ? 'never' : passkey.last_used_at,
          passkey.backed_up ? 'yes' : 'no',
        ])
        show(terminal, format, passkeys, table(['ID', 'NAME', 'CREATED', 'LAST USED', 'BACKED UP'], rows))
      }),
    )

  user
    .command('remove-passkey <username> <passkey>')
    .description('Remove a passkey by its id or name, such as that of a lost device')
    .option('--json', 'print JSON')
    .action((username: string, passkey: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const account = await accountOf(instance, username)
        const removed = await removeForOperator(instance.system, systemClock.now(), account, passkey)
        const left = await listPasskeys(instance.system, account.id)
        const isLockedOut = left.length === 0 && account.passwordHash === undefined
        show(terminal, format, removed, [
          `Removed the passkey ${removed.name} of ${account.username}.`,
          ...(isLockedOut ? [`${account.username} has no way in now; set a password with bowline user password.`] : []),
        ])
      }),
    )
}
