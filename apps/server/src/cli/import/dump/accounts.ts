// Accounts of a dump.
import { PersonName } from '@bowline/contract/schemas/common'
import { OldAccount } from '../accounts-file.ts'
import type { Unreadable } from '../file.ts'
import type { Row } from './tables.ts'
import { idOf, isTrue, textOf, wholeOf } from './values.ts'

/** Accounts whose dump does not tell how many namespaces they may own, like people who register here. */
const MAX_NAMESPACES = 1

export interface ReadAccounts {
  readonly accounts: readonly OldAccount[]
  readonly unreadable: readonly Unreadable[]
  /** Addresses by the id of the account there, also of those that cannot come. */
  readonly emails: ReadonlyMap<string, string>
  /** Ids of accounts that can come. */
  readonly coming: ReadonlySet<string>
}

/** The first of several with the same id, username or address counts. */
export function readAccounts(rows: readonly Row[]): ReadAccounts {
  const accounts: OldAccount[] = []
  const unreadable: Unreadable[] = []
  const emails = new Map<string, string>()
  const coming = new Set<string>()
  const taken = new Set<string>()
  for (const row of rows) {
    const [id, email] = [idOf(row['id']), textOf(row['email']).toLowerCase()]
    const refuse = (reason: string): void => {
      unreadable.push({ what: 'account', name: nameOf(row), reason })
    }
    if (emails.has(id)) {
      refuse('Another account has the same id.')
      continue
    }
    emails.set(id, email)
    const judged = judge(row, email)
    if (typeof judged === 'string') refuse(judged)
    else if (taken.has(`username ${judged.username}`)) refuse('Another account has the same username.')
    else if (taken.has(`email ${judged.email}`)) refuse('Another account has the same address.')
    else {
      taken.add(`username ${judged.username}`).add(`email ${judged.email}`)
      accounts.push(judged)
      coming.add(id)
    }
  }
  return { accounts, unreadable, emails, coming }
}

function nameOf(row: Row): string {
  return (textOf(row['username']) || textOf(row['email']) || textOf(row['id']) || 'without a name').slice(0, 255)
}

/** @returns why it cannot come */
function judge(row: Row, email: string): OldAccount | string {
  const status = textOf(row['status']).toLowerCase().replace('_', '-')
  if (status === 'invited') return 'Was invited there and has no account.'
  const isConfirmed =
    status === '' ? row['confirmed'] === undefined || isTrue(row['confirmed']) : status === 'confirmed'
  if (!isConfirmed) return 'Has not confirmed the address there, and can register here.'
  const hash = textOf(row['password_hash'])
  if (hash === '') return 'Has no password there: its person signs in by single sign-on, or has an account made here.'
  const name = PersonName.safeParse(textOf(row['name']))
  const account = OldAccount.safeParse({
    username: textOf(row['username']),
    name: name.success ? name.data : textOf(row['username']),
    email,
    password_hash: hash,
    max_namespaces: Math.min(9_999, Math.max(-1, wholeOf(row['max_namespaces']) ?? MAX_NAMESPACES)),
    was_administrator: isTrue(row['admin']),
    had_second_factor: isTrue(row['mfa']),
  })
  if (!account.success)
    return account.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`).join(' ')
  const { username } = account.data
  // Whether such a name signs in would tell whether the address of somebody else has an account.
  if (username.includes('@') && username !== email) return 'username must not contain @ unless it is the own address.'
  return account.data
}
