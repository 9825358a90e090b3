// Writes a message: to the outbox of mails, or as a delivery that is sent to the rule's address.
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { AlertDeps } from './deps.ts'
import { bodyOf } from './message.ts'
import { type DeliveryRow, type RuleRow, findRecipients, insertDelivery } from './store.ts'

export interface Message {
  /** `test`, or the rule's condition. */
  readonly type: string
  readonly namespace: string
  readonly text: string
  readonly devices: { readonly count: number; readonly names: readonly string[] }
}

/** @param db system connection, inside the transaction that says what is told */
export async function writeMessage(
  { ids, clock, mails }: Pick<AlertDeps, 'ids' | 'clock' | 'mails'>,
  db: Kysely<Schema>,
  rule: RuleRow,
  { type, namespace, text, devices }: Message,
): Promise<DeliveryRow> {
  const id = ids.uuid()
  const link = mails.link('/incidents')
  const body = bodyOf({
    id,
    type: type === 'test' ? type : `devices.${type}`,
    at: new Date(clock.now()),
    namespace: { id: rule.tenant_id, name: namespace },
    rule: { id: rule.id, name: rule.name },
    devices,
    text,
    link,
  })
  const delivery = { tenant: rule.tenant_id, rule: rule.id, id, test: type === 'test', text, body }
  if (rule.target !== 'mail') return insertDelivery(db, delivery)
  let written = 0
  for (const person of await findRecipients(db, rule.tenant_id, rule.recipients)) {
    const name = person.name || person.username || ''
    const values = { name, namespace, rule: rule.name, text, link }
    // The server itself is the source: people of a namespace cause no mails.
    if (await mails.add(db, { kind: 'alert', to: person.email, user: person.id, source: '', values })) written += 1
  }
  const sent = { state: 'sent', answer: written === 1 ? '1 mail' : `${written} mails` } as const
  const none = { state: 'failed', answer: 'None of its recipients can get mail now.' } as const
  return insertDelivery(db, { ...delivery, outcome: written > 0 ? sent : none })
}
