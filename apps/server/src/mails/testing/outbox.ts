// Mails in the outbox, as tests of their causes see them.
import type { Database } from '../../db/database.ts'
import { SecretKey } from '../../platform/secrets/seal.ts'
import type { MailKind, MailValues } from '../kinds.ts'
import { sealName } from '../queue.ts'

export interface QueuedMail<K extends MailKind = MailKind> {
  readonly kind: K
  readonly to: string
  readonly values: MailValues[K]
}

/** All mails of a kind to an address, oldest first, sent or not; those of the same millisecond in any order. */
export async function mailsTo<K extends MailKind>(
  server: { readonly database: Database; readonly secretKey: string },
  to: string,
  kind: K,
): Promise<QueuedMail<K>[]> {
  const key = new SecretKey(server.secretKey)
  const rows = await server.database
    .system()
    .selectFrom('mails')
    .select(['id', 'recipient', 'sealed'])
    .where('recipient', '=', to.toLowerCase())
    .where('kind', '=', kind)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id, recipient, sealed }) => ({
    kind,
    to: recipient,
    values: JSON.parse(key.open(sealName(id), sealed ?? Buffer.alloc(0)).toString()) as MailValues[K],
  }))
}
