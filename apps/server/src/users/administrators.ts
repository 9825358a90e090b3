// Administrators of the server: accounts that may change its mail and see its people.
import { fail } from '@bowline/contract/errors'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { COMMAND_LINE, noteAccountEvent } from './activity.ts'
import { type UserRow, listAdministrators, lockWithAdministrators, updateUser } from './store.ts'

/** Who changes an account of somebody else. */
export interface Administrator {
  /** Undefined for the command line, which belongs to whoever runs the server. */
  readonly id: UserId | undefined
  readonly origin: Origin
}

const isActing = (one: UserRow): boolean => one.is_instance_admin && one.status === 'confirmed'

/** The operator of the server. */
export const OPERATOR: Administrator = { id: undefined, origin: COMMAND_LINE }

/**
 * Locks an account that an administrator is about to change, and everybody who administers the server: of two who act on
 * each other the second finds what the first has done.
 * @param losesRights the account will not administer the server any more, for a while or for good
 * @throws {BowlineError} NOT_FOUND; INSTANCE_ADMIN_REQUIRED when the caller is no administrator any more; OWN_ACCOUNT;
 *   LAST_ADMINISTRATOR
 */
export async function lockForAdministration(
  db: Kysely<Schema>,
  by: Administrator,
  id: UserId,
  losesRights: boolean,
): Promise<UserRow> {
  const locked = await lockWithAdministrators(db, id)
  const row = locked.find((one) => one.id === id) ?? fail('NOT_FOUND', { what: 'The user' })
  const acting = locked.filter(isActing)
  if (by.id !== undefined && !acting.some((one) => one.id === by.id)) fail('INSTANCE_ADMIN_REQUIRED')
  if (!losesRights) return row
  if (row.id === by.id) fail('OWN_ACCOUNT')
  if (acting.length === 1 && acting.includes(row)) fail('LAST_ADMINISTRATOR')
  return row
}

/** Locks everybody who administers the server. @returns true for the only one of them */
export async function isLastAdministrator(db: Kysely<Schema>, id: UserId): Promise<boolean> {
  const acting = (await lockWithAdministrators(db, id)).filter(isActing)
  return acting.length === 1 && acting[0]?.id === id
}

/**
 * Lets an account administer the server, or takes that away.
 * @returns false when nothing changes
 * @throws {BowlineError} as {@link lockForAdministration}; ACCOUNT_UNFINISHED
 */
export async function setInstanceAdmin(
  db: Kysely<Schema>,
  clock: Clock,
  id: UserId,
  isAdmin: boolean,
  by: Administrator = OPERATOR,
): Promise<boolean> {
  const change = async (inner: Kysely<Schema>): Promise<boolean> => {
    const row = await lockForAdministration(inner, by, id, !isAdmin)
    if (row.is_instance_admin === isAdmin) return false
    if (isAdmin && row.status !== 'confirmed') fail('ACCOUNT_UNFINISHED')
    await updateUser(inner, id, { is_instance_admin: isAdmin })
    const kind = isAdmin ? 'instance-admin.grant' : 'instance-admin.revoke'
    await noteAccountEvent(inner, clock.now(), { user: id, kind, origin: by.origin })
    return true
  }
  return db.isTransaction ? change(db) : db.transaction().execute(change)
}

/** The people who administer the server and whose address is confirmed. @param db system connection */
export async function listInstanceAdmins(
  db: Kysely<Schema>,
): Promise<{ readonly id: UserId; readonly email: string; readonly name: string }[]> {
  const rows = await listAdministrators(db)
  return rows.map(({ id, email, name, username }) => ({ id, email, name: name || username || '' }))
}
