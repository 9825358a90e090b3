// Changes of address that have to be confirmed: the new address replaces the old one when its person confirms on the
// page that the link sent to it opens.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { addNotice } from '../mails/notices.ts'
import type { MailQueue } from '../mails/queue.ts'
import type { Ids } from '../platform/ids.ts'
import { noteAccountEvent } from './activity.ts'
import { endTokensOf, issueToken, useToken } from './account-tokens.ts'
import { type UserRow, findByEmail, findByIdentifier, lockUser, updateUser } from './store.ts'

export interface AddressDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly mails: Pick<MailQueue, 'add' | 'link'>
}

/**
 * Sends the link that confirms a new address. An address of another account is told about it instead, so that nobody
 * learns which addresses have accounts.
 * @param db system connection, in a transaction that has locked the row
 * @param email lower-case
 */
export async function requestAddress(
  db: Kysely<Schema>,
  { clock, ids, mails }: AddressDeps,
  row: UserRow,
  email: string,
  origin: Origin,
): Promise<void> {
  const hours = LIMITS.confirmationHours
  const token = await issueToken(
    db,
    { ids, clock },
    { id: row.id, tokenEpoch: row.token_epoch },
    { purpose: 'address', hours },
  )
  await updateUser(db, row.id, { pending_email: email })
  const owner = await findByEmail(db, email)
  const mail = { to: email, user: row.id, source: origin.source }
  if (owner && owner.status !== 'invited') {
    const values = { name: owner.name ?? '', link: mails.link('/sign-in') }
    await mails.add(db, { ...mail, user: owner.id, kind: 'account-exists', values })
  } else {
    const values = { name: row.name ?? '', link: mails.link('/validation-account', { email, token }), hours }
    await mails.add(db, { ...mail, kind: 'confirm-address', values })
  }
}

/**
 * Replaces the address of an account by the one that its link has proven, and tells the earlier one.
 * @param db system connection, in a transaction
 * @param adopt gives the account what a placeholder of the address has, and deletes the placeholder
 * @returns false when the token is unknown, used, expired, or for another address
 * @throws {BowlineError} CONFLICT when another account has the address meanwhile
 */
export async function confirmAddress(
  db: Kysely<Schema>,
  { clock, mails }: Pick<AddressDeps, 'clock' | 'mails'>,
  { email, token }: { readonly email: string; readonly token: string },
  origin: Origin,
  adopt: (placeholder: UserId, account: UserId) => Promise<void>,
): Promise<boolean> {
  const user = await useToken(db, clock, 'address', token)
  const row = user && (await lockUser(db, user))
  if (!row || row.pending_email !== email) return false
  const owner = await findByEmail(db, email)
  if (owner?.status === 'invited') await adopt(owner.id, row.id)
  else if (owner && owner.id !== row.id) fail('CONFLICT', { field: 'email' }, ['email'])
  const recovery = row.recovery_email === email ? null : row.recovery_email
  const proven = { email, email_unproven: false, pending_email: null }
  await updateUser(db, row.id, { ...proven, recovery_email: recovery })
  await endTokensOf(db, row.id)
  const before = { email: row.email, recovery_email: row.recovery_email }
  const after = { email, recovery_email: recovery }
  await noteAccountEvent(db, clock.now(), { user: row.id, kind: 'address.change', origin, details: { before, after } })
  await addNotice(db, { mails, clock }, row, { event: 'address-changed', subject: email, origin })
  return true
}

/**
 * Takes the operator's word for an address that its person has set without a proof.
 * @param db system connection
 * @param email undefined: whichever the account has
 * @returns the address; undefined when there is no such account, or nothing to confirm
 */
export async function vouchForAddress(
  db: Kysely<Schema>,
  username: string,
  email: string | undefined,
): Promise<string | undefined> {
  const row = await findByIdentifier(db, username)
  if (row?.username !== username || !row.email_unproven || (email ?? row.email) !== row.email) return undefined
  await updateUser(db, row.id, { email_unproven: false })
  return row.email
}
