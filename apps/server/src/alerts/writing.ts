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
  /** Page of the console that shows more; default: the incidents. */
  readonly page?: string
  readonly devices: { readonly count: number; readonly names: readonly string[] }
}

/** @param db system connection, inside the transaction that says what is told */
export async function writeMessage(
  { ids, clock, mails }: Pick<AlertDeps, 'ids' | 'clock' | 'mails'>,
  db: Kysely<Schema>,
  rule: RuleRow,
  { type, namespace, text, devices, page = '/incidents' }: Message,
): Promise<DeliveryRow> {
  const id = ids.uuid()
  const link = mails.link(page)
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
  const people = await findRecipients(db, rule.tenant_id, rule.recipients)
  for (const person of people) {
    const name = person.name || person.username || ''
    const values = { name, namespace, rule: rule.name, text, last: false, link }
    const about = { kind: 'alert' as const, to: person.email, user: person.id, namespace: rule.tenant_id }
    // The server itself is the source: people of a namespace cause no mails.
    const mail = { ...about, source: '', values, lastValues: { ...values, last: true } }
    if (await mails.add(db, mail)) written += 1
  }
  return insertDelivery(db, { ...delivery, outcome: outcomeOf(people.length, written) })
}

/** @param written mails to people who have not had all of those that an hour allows */
function outcomeOf(people: number, written: number): { state: 'sent' | 'failed'; answer: string } {
  if (people === 0) return { state: 'failed', answer: 'None of its recipients can get mail now.' }
  const limit = 'the limit of mails within an hour'
  if (written === 0) return { state: 'failed', answer: `Not mailed: its recipients have reached ${limit}.` }
  const mails = written === 1 ? '1 mail' : `${written} mails`
  const held = people - written
  return { state: 'sent', answer: held === 0 ? mails : `${mails}; ${held} not mailed because of ${limit}` }
}
