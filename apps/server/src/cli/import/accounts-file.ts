// The file with accounts of another server, between reading a dump and making them here. It has hashes of passwords.
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { ConfigError } from '@bowline/contract/config'
import { Email, PersonName, Username } from '@bowline/contract/schemas/common'
import { z } from 'zod'
import { ForeignHash } from '../../auth/password-hashes/foreign-hashes.ts'
import { Unreadable, readJsonFile } from './file.ts'

/** An account as it is made here. Its address is confirmed there. */
export const OldAccount = z.object({
  username: Username,
  name: PersonName,
  email: Email,
  password_hash: ForeignHash,
  /** -1 for any number. */
  max_namespaces: z.number().int().min(-1).max(9_999),
  /** What does not come, for the report. */
  was_administrator: z.boolean(),
  had_second_factor: z.boolean(),
})
export type OldAccount = z.infer<typeof OldAccount>

export const AccountsFile = z.object({
  format: z.literal('bowline-import-accounts', 'must be bowline-import-accounts: this is another file'),
  version: z.literal(1),
  source: z.string().max(1_024),
  read_at: z.string().max(64),
  accounts: z.array(OldAccount),
  /** Accounts that cannot come. */
  unreadable: z.array(Unreadable),
})
export type AccountsFile = z.infer<typeof AccountsFile>

/** Writes the file at once, readable for its owner alone, also where an earlier one could be read by others. */
export async function writeAccountsFile(file: string, content: AccountsFile): Promise<void> {
  const fresh = `${file}.new`
  await rm(fresh, { force: true })
  await writeFile(fresh, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' })
  await rename(fresh, file)
}

/** @throws {ConfigError} naming the file and the first flaws, never a hash; also when others can read the file */
export async function readAccountsFile(file: string): Promise<AccountsFile> {
  const { mode } = await stat(file).catch(() => {
    throw new ConfigError([`${file} cannot be read.`])
  })
  if ((mode & 0o077) !== 0) {
    throw new ConfigError([`${file} has hashes of passwords and others can read it: chmod 600 ${file}`])
  }
  const content = AccountsFile.safeParse(await readJsonFile(file))
  if (content.success) return content.data
  const flaws = content.error.issues.slice(0, 5)
  throw new ConfigError(flaws.map(({ path, message }) => `${file}: ${path.join('.')}: ${message}.`))
}
