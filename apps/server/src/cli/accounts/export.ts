// `bowline user export`: what the server has about a person, in one file.
import { dirname, resolve } from 'node:path'
import { systemClock } from '@bowline/base/clock'
import type { Command } from 'commander'
import { accountArchive } from '../../exports/account-archive.ts'
import { VERSION } from '../../platform/version.ts'
import { COMMAND_LINE, noteAccountEvent } from '../../users/activity.ts'
import { writeArchive } from '../archive-file.ts'
import { onInstance } from '../instance.ts'
import { type Format, type Terminal, show } from '../terminal.ts'
import { accountOf } from './users.ts'

/** @param user the command `bowline user` */
export function addAccountExport(user: Command, terminal: Terminal): void {
  user
    .command('export <username>')
    .description('Write everything that the server has about a person to a new file')
    .requiredOption('--to <file>', 'the file, a compressed tar archive')
    .option('--json', 'print JSON')
    .action((name: string, options: Format & { readonly to: string }) =>
      onInstance(terminal, async (instance) => {
        const file = resolve(options.to)
        const { id, username } = await accountOf(instance, name)
        const { system } = instance
        const counts: Record<string, number> = {}
        await noteAccountEvent(system, systemClock.now(), { user: id, kind: 'account.export', origin: COMMAND_LINE })
        const source = { system, clock: systemClock, user: id, username, version: VERSION, folder: dirname(file) }
        await writeArchive(file, accountArchive(source, counts))
        const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
        show(terminal, options, { file, rows: counts }, [`Wrote ${rows} rows about ${username} to ${file}.`])
      }),
    )
}
