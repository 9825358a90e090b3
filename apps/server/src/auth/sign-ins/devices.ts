// Devices that an account signs in from: a browser is known by a cookie that lasts a year, a program by its name and
// network. Owners are notified of new ones, in case somebody else has their password.
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Origin } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { addNotice } from '../../mails/notices.ts'
import type { MailQueue } from '../../mails/queue.ts'
import { sourceKey } from '../../platform/network/address.ts'
import { hashOf } from '../../platform/secrets/hash.ts'
import type { Account } from '../../users/service.ts'
import { saveDevice } from './store.ts'

export interface DeviceDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly mails: MailQueue
}

/**
 * Remembers the device of a sign-in. The owner is notified of one that the account has not signed in from before; not
 * of the first of all.
 * @param device value of the device cookie; undefined for programs, which have none
 */
export async function noteDevice(
  { db, clock, mails }: DeviceDeps,
  account: Account,
  origin: Origin,
  device: string | undefined,
): Promise<void> {
  const now = clock.now()
  const hash = hashOf(device ?? `program ${sourceKey(origin.source)} ${origin.userAgent}`)
  await db.transaction().execute(async (inner) => {
    const { isNew, isFirst } = await saveDevice(inner, account.id, hash, new Date(now))
    if (isNew && !isFirst) await addNotice(inner, { mails, clock }, account, { event: 'new-device', origin })
  })
}
