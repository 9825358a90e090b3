// Administrators of the server: accounts that may change its mail and see its people.
import { fail } from '@bowline/contract/errors'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { COMMAND_LINE, noteAccountEvent } from './activity.ts'
import { listAdministrators, lockUser, updateUser } from './store.ts'

/**
 * Lets an account administer the server, or takes that away.
 * @throws {BowlineError} NOT_FOUND
 */
export async function setInstanceAdmin(db: Kysely<Schema>, clock: Clock, id: UserId, isAdmin: boolean): Promise<void> {
  await db.transaction().execute(async (inner) => {
    const row = (await lockUser(inner, id)) ?? fail('NOT_FOUND', { what: 'The user' })
    if (row.is_instance_admin === isAdmin) return
    await updateUser(inner, id, { is_instance_admin: isAdmin })
    const kind = isAdmin ? 'instance-admin.grant' : 'instance-admin.revoke'
    await noteAccountEvent(inner, clock.now(), { user: id, kind, origin: COMMAND_LINE })
  })
}

/** The people who administer the server and whose address is confirmed. @param db system connection */
export async function listInstanceAdmins(
  db: Kysely<Schema>,
): Promise<{ readonly id: UserId; readonly email: string; readonly name: string }[]> {
  const rows = await listAdministrators(db)
  return rows.map(({ id, email, name, username }) => ({ id, email, name: name || username || '' }))
}
