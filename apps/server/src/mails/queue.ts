// The outbox: a mail is written in the transaction that causes it, so that neither exists without the other.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { sourceKey } from '../platform/network/address.ts'
import type { Ids } from '../platform/ids.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import type { MailKind, MailValues } from './kinds.ts'
import { type MailGroup, limitsOf } from './limits.ts'
import { insertMail, reseal } from './store.ts'

export interface MailQueueDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly secretKey: SecretKey
  /**
   * Origin of the console for links, such as `https://bowline.example.com`: from the settings or the port that the server
   * listens on, never from a request.
   */
  readonly publicOrigin: () => string
  /** True if mails reach people. */
  readonly isSending: boolean
}

export interface Mail<K extends MailKind> {
  readonly kind: K
  readonly to: string
  /** Account that the mail is about, if there is one. */
  readonly user: UserId | undefined
  /** Address of whoever caused it; '' for the server itself. */
  readonly source: string
  readonly values: MailValues[K]
  /** Said instead by the last mail that the limits let through within the hour. */
  readonly lastValues?: MailValues[K]
  /** Namespace whose share of the recipient's limit it counts in. */
  readonly namespace?: TenantId
  /** Group whose limits hold; by default that of the kind's name. */
  readonly group?: MailGroup
}

export interface MailQueue {
  /** True if mails reach people; otherwise what needs a confirmed address does without. */
  readonly isSending: boolean
  /**
   * Writes a mail, unless recipient, namespace or source have had their share of the hour.
   * @param db system connection, inside the transaction that causes the mail
   * @returns whether it was written
   */
  add<K extends MailKind>(db: Kysely<Schema>, mail: Mail<K>): Promise<boolean>
  /** Address of a page of the console. @param path begins with a slash */
  link(path: string, query?: Readonly<Record<string, string>>): string
}

/** @param written called for each mail that was written */
export function createMailQueue(
  { clock, ids, secretKey, publicOrigin, isSending }: MailQueueDeps,
  written: () => void = () => undefined,
): MailQueue {
  return {
    isSending,
    async add(db, mail) {
      const id = ids.uuid()
      const seal = (values: object): Buffer => secretKey.seal(sealName(id), Buffer.from(JSON.stringify(values)))
      const row = {
        id,
        kind: mail.kind,
        recipient: mail.to.toLowerCase(),
        user_id: mail.user ?? null,
        source: mail.source === '' ? '' : sourceKey(mail.source),
        namespace: mail.namespace,
        sealed: seal(mail.values),
        at: new Date(clock.now()),
      }
      const result = await insertMail(db, row, limitsOf(mail.group ?? mail.kind))
      if (result === 'refused') return false
      if (result === 'last' && mail.lastValues) await reseal(db, id, seal(mail.lastValues))
      written()
      return true
    },
    link(path, query = {}) {
      const url = new URL(path, publicOrigin())
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      return url.href
    },
  }
}

/** Name under which the values of a mail are sealed. */
export function sealName(id: string): string {
  return `mail:${id}`
}

/** Values of a stored mail. @throws {Error} when another key sealed them, or they are gone */
export function openValues<K extends MailKind>(
  secretKey: SecretKey,
  mail: { readonly id: string; readonly kind: K; readonly sealed: Buffer | null },
): MailValues[K] {
  if (mail.sealed === null) throw new Error(`The values of the mail ${mail.id} are gone.`)
  return JSON.parse(secretKey.open(sealName(mail.id), mail.sealed).toString()) as MailValues[K]
}
