// `bowline backup` and `bowline restore`.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ServerSettings } from '@bowline/contract/config'
import type { Command } from 'commander'
import { backup } from '../db/backup/backup.ts'
import { restore } from '../db/backup/restore.ts'
import { VERSION } from '../platform/version.ts'
import { onOwner } from './instance.ts'
import { type Format, type Terminal, show } from './terminal.ts'

export function addArchiveCommands(program: Command, terminal: Terminal): void {
  program
    .command('backup <file>')
    .description('Write the whole database to a new file; the server may go on')
    .option('--with-key', 'put in the key that opens the platform’s secrets: whoever has the file has everything')
    .option('--json', 'print JSON')
    .action((file: string, options: Format & { readonly withKey?: boolean }) =>
      onOwner(terminal, async (owner, settings) => {
        const secretKey = options.withKey ? await readSecretKey(settings) : undefined
        const key = secretKey === undefined ? {} : { secretKey }
        const rows = await backup(owner, resolve(file), { version: VERSION, now: new Date(), ...key })
        const count = Object.values(rows).reduce((sum, rowsOfTable) => sum + rowsOfTable, 0)
        const without = 'The file does not have the secret key: keep secret.key or BOWLINE_SECRET_KEY beside it.'
        show(terminal, options, { file: resolve(file), rows, with_key: secretKey !== undefined }, [
          `Wrote ${count} rows to ${resolve(file)}.`,
          ...(secretKey === undefined ? [without] : []),
        ])
      }),
    )

  program
    .command('restore <file>')
    .description('Load a backup into a new data folder or an empty database')
    .option('--json', 'print JSON')
    .action((file: string, format: Format) =>
      onOwner(terminal, async (owner, settings) => {
        const { rows, version, secretKey } = await restore(owner, resolve(file))
        const kept = secretKey !== undefined && (await keepSecretKey(settings, secretKey))
        const count = Object.values(rows).reduce((sum, rowsOfTable) => sum + rowsOfTable, 0)
        const missing = 'Set BOWLINE_SECRET_KEY, or put secret.key into the data folder, before you start the server.'
        show(terminal, format, { rows, version, key_restored: kept }, [
          `Restored ${count} rows of ${version}.`,
          kept ? 'The secret key is in the data folder.' : missing,
        ])
      }),
    )
}

const keyFile = (settings: ServerSettings): string => join(resolve(settings.BOWLINE_DATA_DIR), 'secret.key')

async function readSecretKey(settings: ServerSettings): Promise<string> {
  return settings.BOWLINE_SECRET_KEY ?? (await readFile(keyFile(settings), 'utf8')).trim()
}

/** Puts the backup's key where the server looks for it. @returns false when a key exists or is set already */
async function keepSecretKey(settings: ServerSettings, secretKey: string): Promise<boolean> {
  if (settings.BOWLINE_SECRET_KEY ?? settings.BOWLINE_DATABASE_URL) return false
  await mkdir(resolve(settings.BOWLINE_DATA_DIR), { recursive: true, mode: 0o700 })
  return writeFile(keyFile(settings), `${secretKey}\n`, { mode: 0o600, flag: 'wx' }).then(
    () => true,
    () => false,
  )
}
