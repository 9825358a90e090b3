// Ways in to the server: whether its own are open, where accounts have come in from, and what people may do without one.
import { fail } from '@bowline/contract/errors'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { sourceKey } from '../platform/network/address.ts'
import { findTokenSubject, isKnownSource } from './store.ts'

/**
 * Refuses every way in but the identity provider's where an administrator has switched the others off: people whom the
 * provider has removed must not come in by a recovery code, a passkey or a new password.
 * @throws {BowlineError} LOCAL_SIGN_IN_DISABLED
 */
export async function requireLocalSignIn({
  isLocalSignInOn,
}: {
  readonly isLocalSignInOn: () => Promise<boolean>
}): Promise<void> {
  if (!(await isLocalSignInOn())) fail('LOCAL_SIGN_IN_DISABLED')
}

/** True if somebody has completed a sign-in to the account from an address lately. */
export function hasSignedInFrom(db: Kysely<Schema>, user: UserId, address: string): Promise<boolean> {
  return isKnownSource(db, user, sourceKey(address))
}

/** A person as they are now in a namespace, whatever their sign-ins; undefined when they are gone or disabled. */
export function subjectIn(db: Kysely<Schema>, user: UserId, tenant: TenantId): ReturnType<typeof findTokenSubject> {
  return findTokenSubject(db, { user, tenant, family: undefined, login: undefined })
}
