// Accounts of people who sign in by a provider: they have no password.
import { fail } from '@bowline/contract/errors'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Ids } from '../platform/ids.ts'
import { noteAccountEvent } from './activity.ts'
import { type Account, getAccount } from './service.ts'
import { findTaken, findUser, insertUser, lockUser, updateUser } from './store.ts'

/**
 * Creates a confirmed account without a password, or completes the placeholder of an invitation.
 * @param db system connection, inside the caller's transaction
 * @param person.email lower-case; nobody but the placeholder has it
 * @returns undefined when the placeholder has become an account meanwhile
 * @throws what {@link isTakenName} tells, when another transaction takes the username or the address at the same time
 */
export async function createProviderAccount(
  db: Kysely<Schema>,
  { ids, clock, origin }: { readonly ids: Ids; readonly clock: Clock; readonly origin: Origin },
  person: {
    readonly name: string
    readonly email: string
    readonly kind: 'saml' | 'openid'
    readonly invited: Account | undefined
  },
): Promise<Account | undefined> {
  const invited = person.invited && (await lockUser(db, person.invited.id))
  if (person.invited && invited?.status !== 'invited') return undefined
  const username = await freeUsername(db, ids, person.email)
  const values = {
    name: person.name,
    username,
    status: 'confirmed' as const,
    origin: person.kind === 'saml' ? ('SAML' as const) : ('OpenID' as const),
    auth_methods: [person.kind],
  }
  const id = person.invited?.id ?? ids.user()
  if (person.invited) await updateUser(db, id, values)
  else await insertUser(db, { id, email: person.email, ...values })
  const details = { username, email: person.email }
  await noteAccountEvent(db, clock.now(), { user: id, kind: 'account.create', origin, details })
  return (await getAccount(db, id)) ?? fail('INTERNAL')
}

const UNIQUE_VIOLATION = '23505'
const NAMES = new Set(['username_is_unique', 'email_is_unique'])

/** Whether an account could not be made because another has got its username or address at the same time. */
export function isTakenName(error: unknown): boolean {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown }
  return code === UNIQUE_VIOLATION && typeof constraint === 'string' && NAMES.has(constraint)
}

/** Adds a provider's kind to the ways in which an account signs in. @param db inside the caller's transaction */
export async function useProvider(db: Kysely<Schema>, id: UserId, kind: 'saml' | 'openid'): Promise<void> {
  const row = await findUser(db, id)
  if (!row || row.auth_methods.includes(kind)) return
  await updateUser(db, id, { auth_methods: [...row.auth_methods, kind] })
}

/** Removes a provider's kind, of which the account has no identity any more. @param db inside the caller's transaction */
export async function leaveProvider(db: Kysely<Schema>, id: UserId, kind: 'saml' | 'openid'): Promise<void> {
  const row = await findUser(db, id)
  if (row) await updateUser(db, id, { auth_methods: row.auth_methods.filter((method) => method !== kind) })
}

/** The part of the address before the @, with a number when somebody has it. */
async function freeUsername(db: Kysely<Schema>, ids: Ids, email: string): Promise<string> {
  const part = (email.split('@')[0] ?? '').replaceAll(/[^a-z0-9._-]+/g, '-').slice(0, 24)
  const base = part.length >= 3 ? part : `${part}-user`.replace(/^-/, '')
  for (const name of [base, ...Array.from({ length: 8 }, (_, index) => `${base}-${index + 2}`)]) {
    if ((await findTaken(db, { username: name })).length === 0) return name
  }
  return `user-${ids.user().slice(0, 12)}`
}
