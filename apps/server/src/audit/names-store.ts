// Names of what audit entries are about. Entries keep ids, which tell a reader nothing; most details have the name of
// that time, and for the others the present one is read.
import type { Kysely, Selectable } from 'kysely'
import type { AuditLogTable, Schema } from '../db/schema.ts'

type AuditRow = Selectable<AuditLogTable>

export interface Names {
  /** Usernames by id. */
  readonly people: ReadonlyMap<string, string>
  /** @returns undefined where the target has no name, or none that is known */
  nameOf(row: AuditRow): string | undefined
}

const nounOf = ({ action }: AuditRow): string => action.split('.', 1)[0] ?? ''
/** A recording's target is its session, which may be followed by more. */
const firstWord = (target: string): string => target.split(' ', 1)[0] ?? ''
const DEVICE_NOUNS = new Set(['device', 'held-login'])
const SESSION_NOUNS = new Set(['session', 'recording'])

/**
 * Reads the names that the entries need: one statement for each kind of target among them.
 * @param db the tenant's connection
 * @param system connection: for user names
 */
export async function namesOf(db: Kysely<Schema>, system: Kysely<Schema>, rows: readonly AuditRow[]): Promise<Names> {
  const targets = (nouns: ReadonlySet<string>): string[] => [
    ...new Set(
      rows.filter((row) => nouns.has(nounOf(row)) && row.target !== '').map(({ target }) => firstWord(target)),
    ),
  ]
  const actors = rows.filter((row) => row.actor_type === 'user').map((row) => row.actor_id)
  const people = await usernames(system, [...new Set([...actors, ...targets(new Set(['member']))])])
  const devices = await deviceNames(db, targets(DEVICE_NOUNS))
  const sessions = await sessionNames(db, targets(SESSION_NOUNS))
  return {
    people,
    nameOf(row) {
      const noun = nounOf(row)
      if (noun === 'member') return people.get(row.target) ?? recorded(row.details)
      if (SESSION_NOUNS.has(noun)) return sessions.get(firstWord(row.target))
      return recorded(row.details) ?? (DEVICE_NOUNS.has(noun) ? devices.get(row.target) : undefined)
    },
  }
}

/** The name among an entry's details: of a change, that after it. */
function recorded(details: AuditRow['details']): string | undefined {
  for (const facts of [details, details['after'], details['before']]) {
    const { name, email } = { ...(facts as Readonly<Record<string, unknown>> | undefined) }
    if (typeof name === 'string' && name !== '') return name
    if (typeof email === 'string' && email !== '') return email
  }
  return undefined
}

async function usernames(system: Kysely<Schema>, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const known = await system
    .selectFrom('users')
    .select(['users.id', 'users.username'])
    .where((eb) => eb(eb.cast<string>('users.id', 'text'), 'in', ids))
    .execute()
  return new Map(known.map(({ id, username }) => [id, username ?? '']))
}

async function deviceNames(db: Kysely<Schema>, uids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (uids.length === 0) return new Map()
  const known = await db
    .selectFrom('devices')
    .select(['devices.uid', 'devices.name'])
    .where((eb) => eb(eb.cast<string>('devices.uid', 'text'), 'in', uids))
    .execute()
  return new Map(known.map(({ uid, name }) => [uid, name]))
}

async function sessionNames(db: Kysely<Schema>, uids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (uids.length === 0) return new Map()
  const known = await db
    .selectFrom('sessions')
    .leftJoin('devices', 'devices.uid', 'sessions.device_uid')
    .select(['sessions.uid', 'sessions.username', 'devices.name'])
    .where((eb) => eb(eb.cast<string>('sessions.uid', 'text'), 'in', uids))
    .execute()
  return new Map(known.map(({ uid, username, name }) => [uid, name === null ? username : `${username}@${name}`]))
}
