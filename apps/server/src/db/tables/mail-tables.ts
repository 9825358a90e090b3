// Kysely types of the tables of mail: a part of schema.ts, with its rules.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

export interface MailsTable {
  id: string
  /** A kind of mails/kinds.ts. */
  kind: string
  /** Lower-case. */
  recipient: string
  user_id: UserId | null
  /** '' for the server itself. */
  source: Generated<string>
  /** Values of the template as JSON, sealed under the name `mail:<id>`; null once it is not needed any more. */
  sealed: Buffer | null
  created_at: Date
  attempts: Generated<number>
  due_at: Date | null
  leased_until: Date | null
  /** Node that holds the lease. */
  leased_by: string | null
  sent_at: Date | null
  failed_at: Date | null
  answer: Generated<string>
  /** When the link was logged, on a server without a mail server. */
  logged_at: Date | null
}

/** Mails written within an hour, for the limits. */
export interface MailCountsTable {
  /** Group of kinds that share a limit. */
  category: string
  /** `to:` and a recipient, or `from:` and a source. */
  counted: string
  since: Date
  mails: number
}
