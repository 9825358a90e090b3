// A person's own passkeys: add, list, rename, remove.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { NEVER, type UserId } from '@bowline/contract/schemas/common'
import type { AcceptedCredentials, CreationOptions, NewCredential, Passkey } from '@bowline/contract/schemas/passkey'
import type { Kysely } from 'kysely'
import { noteFreshProof, requireFreshProof, signInOf } from '../auth/fresh-proofs.ts'
import { requireOwner } from '../auth/ownership.ts'
import { isCurrentPassword } from '../auth/service.ts'
import { endOtherSignIns } from '../auth/sign-ins/service.ts'
import type { Origin, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { COMMAND_LINE, noteAccountEvent } from '../users/activity.ts'
import { type Account, getAccount, lockAccount } from '../users/service.ts'
import { ALGORITHMS, challengeIn, verifyNew } from './ceremony.ts'
import type { Purpose } from './challenges.ts'
import { refreshMfaFlag } from '../mfa/flag.ts'
import { addNotice } from '../mails/notices.ts'
import type { RelyingParty } from './relying-party.ts'
import { descriptorOf } from './sign-in.ts'
import {
  type PasskeyRow,
  deleteExpiredChallenges,
  deletePasskey,
  insertPasskey,
  listOf,
  renamePasskey,
} from './store.ts'
import { type PasskeyDeps, handleOf, useChallenge } from './use.ts'
import { requireWaysIn } from './ways-in.ts'

/**
 * Challenge for a new passkey.
 * @param password current password; needed without a second factor if the account has one
 * @throws {BowlineError} FRESH_PROOF_REQUIRED; INVALID_INPUT for a wrong current password; LOCKED_OUT; PASSKEY_LIMIT;
 *   NOT_FOUND
 */
export async function registerOptions(
  deps: PasskeyDeps,
  party: RelyingParty,
  actor: UserActor,
  password: string | undefined,
  origin: Origin,
): Promise<CreationOptions> {
  const account = await requireAccount(deps.db, actor.id)
  await requireProof(deps, actor, account, password, origin)
  const rows = await listOf(deps.db, actor.id)
  requireRoom(rows)
  return {
    challenge: deps.challenges.issue(registrationOf(actor, account)),
    rp: { id: party.id, name: 'Bowline' },
    user: { id: handleOf(account.id), name: account.username, displayName: account.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: LIMITS.passkeyChallengeMinutes * 60_000,
    attestation: 'none',
    excludeCredentials: rows.map((row) => descriptorOf(row)),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  }
}

async function requireProof(
  deps: PasskeyDeps,
  actor: UserActor,
  account: Account,
  password: string | undefined,
  origin: Origin,
): Promise<void> {
  if (account.mfaEnabled) return requireFreshProof(deps, actor)
  if (account.passwordHash === undefined) return requireOwner(deps, actor, account, undefined, origin)
  // A missing password is not counted as a guess.
  const isProven = password ? await isCurrentPassword(deps, account, password, origin) : false
  if (!isProven) fail('INVALID_INPUT', { field: 'current_password', rule: 'is wrong' }, ['current_password'])
}

/** The challenge tells what was proven for it, so that it is worth nothing once the account has another factor. */
function registrationOf(actor: UserActor, { mfaEnabled }: Account): Purpose {
  return { kind: 'register', user: actor.id, signIn: signInOf(actor), proof: mfaEnabled ? 'factor' : 'password' }
}

function requireRoom(rows: readonly PasskeyRow[]): void {
  const limit = LIMITS.passkeysPerPerson
  if (rows.length >= limit) fail('PASSKEY_LIMIT', { limit })
}

/**
 * Adds a passkey. The sign-in counts as freshly proven afterwards.
 * @throws {BowlineError} PASSKEY_INVALID, whatever is wrong with it; PASSKEY_KNOWN; PASSKEY_LIMIT; NOT_FOUND
 */
export async function register(
  deps: PasskeyDeps,
  party: RelyingParty,
  actor: UserActor,
  { name, credential }: { readonly name: string; readonly credential: NewCredential },
  origin: Origin,
): Promise<Passkey> {
  const before = await requireAccount(deps.db, actor.id)
  const challenge = challengeIn(credential.response.clientDataJSON)
  const endsAt = deps.challenges.endOf(challenge, registrationOf(actor, before))
  const verdict = await verifyNew(party, challenge, credential)
  if (endsAt === undefined || 'reason' in verdict) {
    const reason = 'reason' in verdict ? verdict.reason : 'the challenge is unknown or expired'
    deps.log.warn('passkey.refused', { user: actor.id, source: origin.source, reason })
    return fail('PASSKEY_INVALID')
  }
  const { value } = verdict
  return deps.db.transaction().execute(async (db) => {
    const account = await lockedAccount(db, actor.id)
    const isSame = account.tokenEpoch === before.tokenEpoch && account.mfaEnabled === before.mfaEnabled
    if (!isSame || !(await useChallenge(db, challenge, endsAt))) fail('PASSKEY_INVALID')
    requireRoom(await listOf(db, actor.id))
    const row: PasskeyRow = {
      id: deps.ids.uuid(),
      user_id: actor.id,
      credential_id: value.id,
      public_key: value.publicKey,
      sign_count: value.signCount,
      transports: value.transports,
      aaguid: value.aaguid,
      multi_device: value.multiDevice,
      backed_up: value.backedUp,
      name,
      created_at: new Date(deps.clock.now()),
      last_used_at: null,
    }
    if (!(await insertPasskey(db, row))) fail('PASSKEY_KNOWN')
    await factorsChanged(db, deps.clock.now(), account, { kind: 'passkey.add', name, origin })
    await addNotice(db, deps, account, { event: 'passkey-added', subject: name, origin })
    if (!account.mfaEnabled) await endOtherSignIns({ ...deps, db }, actor)
    await noteFreshProof({ ...deps, db }, actor.id, signInOf(actor))
    return toPasskey(row)
  })
}

/** @param now milliseconds since the epoch */
async function factorsChanged(
  db: Kysely<Schema>,
  now: number,
  { id: user }: Account,
  change: { readonly kind: 'passkey.add' | 'passkey.remove'; readonly name: string; readonly origin: Origin },
): Promise<void> {
  await refreshMfaFlag(db, user)
  const { kind, name, origin } = change
  await noteAccountEvent(db, now, { user, kind, origin, details: { name } })
}

/** A person's passkeys, the oldest first. @param db system connection */
export async function listPasskeys(db: Kysely<Schema>, user: UserId): Promise<Passkey[]> {
  return (await listOf(db, user)).map((row) => toPasskey(row))
}

/** Renames a passkey. @throws {BowlineError} NOT_FOUND unless it is one of the caller's */
export async function rename({ db }: PasskeyDeps, actor: UserActor, id: string, name: string): Promise<Passkey> {
  const row = await renamePasskey(db, actor.id, id, name)
  return row ? toPasskey(row) : notFound()
}

/**
 * Removes a passkey.
 * @param party undefined where passkeys do not work: they can be removed nevertheless
 * @returns what is left, for the browser to forget the rest
 * @throws {BowlineError} FRESH_PROOF_REQUIRED; NOT_FOUND unless it is one of the caller's; TOO_FEW_WAYS_IN
 */
export async function remove(
  deps: PasskeyDeps,
  party: RelyingParty | undefined,
  actor: UserActor,
  id: string,
  origin: Origin,
): Promise<AcceptedCredentials> {
  await requireFreshProof(deps, actor)
  return deps.db.transaction().execute(async (db) => {
    const account = await lockedAccount(db, actor.id)
    const rows = await listOf(db, actor.id)
    const row = rows.find((one) => one.id === id) ?? notFound()
    await deletePasskey(db, id)
    await requireWaysIn(db, account)
    await factorsChanged(db, deps.clock.now(), account, { kind: 'passkey.remove', name: row.name, origin })
    await addNotice(db, deps, account, { event: 'passkey-removed', subject: row.name, origin })
    const left = rows.filter((one) => one !== row).map((one) => descriptorOf(one).id)
    return { rpId: party?.id ?? '', userId: handleOf(account.id), allAcceptedCredentialIds: left }
  })
}

/**
 * Removes a passkey for the operator of the server, who can set a password too: no other way in is required.
 * @param name its id or name
 * @throws {BowlineError} NOT_FOUND; INVALID_INPUT when several have the name
 */
export function removeForOperator(
  system: Kysely<Schema>,
  now: number,
  { id: user }: Account,
  name: string,
): Promise<Passkey> {
  return system.transaction().execute(async (db) => {
    const account = await lockedAccount(db, user)
    const rows = await listOf(db, user)
    const named = rows.filter((one) => one.id === name || one.name === name)
    if (named.length > 1) fail('INVALID_INPUT', { field: 'passkey', rule: 'must be an id: several have this name' })
    const row = named[0] ?? notFound()
    await deletePasskey(db, row.id)
    await factorsChanged(db, now, account, { kind: 'passkey.remove', name: row.name, origin: COMMAND_LINE })
    return toPasskey(row)
  })
}

/** Deletes what is remembered of challenges that have expired. @param now milliseconds since the epoch */
export function forgetChallenges(db: Kysely<Schema>, now: number): Promise<void> {
  return deleteExpiredChallenges(db, new Date(now))
}

function notFound(): never {
  return fail('NOT_FOUND', { what: 'The passkey' })
}

async function requireAccount(db: Kysely<Schema>, user: UserId): Promise<Account> {
  return (await getAccount(db, user)) ?? fail('NOT_FOUND', { what: 'The user' })
}

async function lockedAccount(db: Kysely<Schema>, user: UserId): Promise<Account> {
  return (await lockAccount(db, user)) ?? fail('NOT_FOUND', { what: 'The user' })
}

function toPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    name: row.name,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? NEVER,
    backed_up: row.backed_up,
    device_type: row.multi_device ? 'multi-device' : 'single-device',
  }
}
