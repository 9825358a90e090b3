// Notices: mails about what happened to an account, so that its owner learns of what somebody else did.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { browserName } from '../platform/browser-name.ts'
import type { NoticeEvent } from './kinds.ts'
import type { MailQueue } from './queue.ts'

/** Whom a notice is for: the account as it was before the event, so that a new address does not receive it. */
interface Owner {
  readonly id: UserId
  readonly email: string
  readonly name: string | null
  readonly username: string | null
}

/**
 * Writes a notice to the owner of an account.
 * @param db system connection, inside the transaction of the event itself
 * @param notice.subject what it is about, such as a passkey's name; '' if nothing
 */
export async function addNotice(
  db: Kysely<Schema>,
  { mails, clock }: { readonly mails: Pick<MailQueue, 'add' | 'link'>; readonly clock: Clock },
  owner: Owner,
  notice: { readonly event: NoticeEvent; readonly origin: Origin; readonly subject?: string },
): Promise<void> {
  const { event, origin, subject = '' } = notice
  await mails.add(db, {
    kind: 'notice',
    to: owner.email,
    user: owner.id,
    source: origin.source,
    ...(event === 'new-device' ? { group: event } : {}),
    values: {
      name: owner.name || owner.username || '',
      event,
      subject,
      source: origin.source,
      browser: browserName(origin.userAgent),
      at: new Date(clock.now()).toISOString(),
      link: mails.link('/profile'),
    },
  })
}
