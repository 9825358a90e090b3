// Identity behind a session: the account, how it proved itself, and its key; as the row stores it and as clients see it.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Session, SessionFactor, SessionMethod } from '@bowline/contract/schemas/session'
import type { Insertable } from 'kysely'
import type { SessionsTable } from '../db/tables/session-tables.ts'
import type { SessionRow } from './store.ts'

export interface SessionIdentity {
  /** Undefined when the credential names nobody. `name`: e-mail address at the moment. */
  readonly person: { readonly id: UserId; readonly name: string } | undefined
  readonly method: SessionMethod
  /** Undefined when no second factor was asked for. */
  readonly factor: SessionFactor | undefined
  /** The registered key; undefined for a password. `fingerprint`: as `ssh-keygen -l` prints it. */
  readonly key: { readonly name: string; readonly fingerprint: string } | undefined
}

type IdentityColumns = 'person_id' | 'person' | 'method' | 'factor' | 'key_name' | 'key_fingerprint'

export function columnsOf({
  person,
  method,
  factor,
  key,
}: SessionIdentity): Pick<Insertable<SessionsTable>, IdentityColumns> {
  return {
    person_id: person?.id ?? null,
    person: person?.name ?? '',
    method,
    factor: factor ?? null,
    key_name: key?.name ?? '',
    key_fingerprint: key?.fingerprint ?? null,
  }
}

export function identityOf(
  row: Pick<SessionRow, IdentityColumns>,
): Pick<Session, 'person' | 'method' | 'second_factor' | 'key'> {
  return {
    person: row.person_id === null ? null : { id: row.person_id, name: row.person },
    method: row.method,
    second_factor: row.factor,
    key: row.key_fingerprint === null ? null : { name: row.key_name, fingerprint: row.key_fingerprint },
  }
}
