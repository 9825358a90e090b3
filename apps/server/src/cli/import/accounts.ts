// Makes the accounts of a dump. On the host of the server, by its operator: the file has hashes of passwords, which no call of the
// API takes.
import { systemClock } from '@bowline/base/clock'
import { type ImportedAccountOutcome, importAccount } from '../../administration/imported-accounts.ts'
import { createPasswordHasher } from '../../auth/password-hashes/passwords.ts'
import { BY_OPERATOR } from '../administration/deps.ts'
import { onInstance } from '../instance.ts'
import type { Terminal } from '../terminal.ts'
import { type OldAccount, readAccountsFile } from './accounts-file.ts'
import type { Line, Report } from './report.ts'

/** @throws {ConfigError} when the file cannot be read */
export async function importAccounts(
  terminal: Terminal,
  file: string,
  isDryRun: boolean,
): Promise<Pick<Report, 'dry_run' | 'lines'>> {
  const { accounts, unreadable } = await readAccountsFile(file)
  const passwords = await createPasswordHasher()
  const lines: Line[] = []
  await onInstance(terminal, async ({ system, ids }) => {
    const deps = { system, ids, clock: systemClock, hash: (text: string) => passwords.hash(text) }
    for (const account of accounts) {
      lines.push(lineOf(account, await importAccount(deps, BY_OPERATOR, account, isDryRun)))
    }
  })
  const refused = unreadable.map(({ what, name, reason }) => ({ what, name, reason, outcome: 'refused' as const }))
  return { dry_run: isDryRun, lines: [...lines, ...refused] }
}

function lineOf(account: OldAccount, made: ImportedAccountOutcome): Line {
  const line = { what: 'account', name: account.username }
  if (made.outcome === 'refused') return { ...line, outcome: 'refused', reason: made.reason }
  if (made.outcome === 'exists') {
    const isSame = made.username === account.username
    const reason = `${account.email} has an account here, ${made.username}, which stays as it is.`
    return { ...line, outcome: 'unchanged', reason: isSame ? null : reason }
  }
  const lost = [
    ...(account.was_administrator ? ['Administered the server there; here it does not.'] : []),
    ...(account.had_second_factor ? ['Its second factor does not come.'] : []),
  ]
  return { ...line, outcome: 'created', reason: lost.join(' ') || null }
}
