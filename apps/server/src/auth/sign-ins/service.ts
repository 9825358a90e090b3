// Living sign-ins of a person: browser sessions and logins of programs. They can be listed and ended one by one.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import type { SignIn } from '@bowline/contract/schemas/sign-in'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Origin, UserActor } from '../../context.ts'
import type { Listing } from '../../db/lists/listing.ts'
import type { Page } from '../../db/lists/page.ts'
import type { Schema } from '../../db/schema.ts'
import { browserName } from '../../platform/browser-name.ts'
import { noteAccountEvent } from '../../users/activity.ts'
import { lockAccount } from '../../users/service.ts'
import { signInOf } from '../fresh-proofs.ts'
import { deleteFamily, insertEndedLogin } from '../store.ts'
import { deleteApprovedCodes } from '../device-codes/store.ts'
import { deleteFactorWindows } from '../second-step-store.ts'
import {
  type EndedAtProvider,
  type SignInRow,
  deleteOtherSignIns,
  deleteProviderSessions,
  deleteSignIn,
  findSignIn,
  insertSignIn,
  listUsersOfSessions,
  listSignInsOf,
  touchSignIn,
} from './store.ts'

// Kept and read by single sign-on.
export { findProviderSession, insertProviderSession } from './store.ts'

export interface SignInDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
}

/** Age of the last noted use at which a further one is noted: a write for every call would cost too much. */
const USE_INTERVAL_MS = 300_000

const lifeOf = (kind: SignInRow['kind']): number =>
  kind === 'token' ? LIMITS.userTokenHours * 3_600_000 : LIMITS.refreshDays * 86_400_000

/**
 * Records a new sign-in.
 * @param id family of the browser session, or the login of the tokens
 * @param provenAt when its credential was proven; default: now
 */
export function recordSignIn(
  { db, clock }: SignInDeps,
  {
    id,
    user,
    kind,
    origin,
    provenAt,
  }: { id: string; user: UserId; kind: SignInRow['kind']; origin: Origin; provenAt: Date | undefined },
): Promise<void> {
  const now = clock.now()
  const at = new Date(now)
  return insertSignIn(db, {
    id,
    user_id: user,
    kind,
    created_at: at,
    last_seen: at,
    expires_at: new Date(now + lifeOf(kind)),
    source: origin.source,
    user_agent: origin.userAgent.slice(0, 256),
    proven_at: provenAt ?? null,
  })
}

/** Records that a browser session was renewed, which extends it. */
export function noteRenewal({ db, clock }: SignInDeps, family: string, origin: Origin): Promise<void> {
  const now = clock.now()
  const expiresAt = new Date(now + lifeOf('browser'))
  return touchSignIn(db, family, { at: new Date(now), source: origin.source, expiresAt })
}

/**
 * When a sign-in began, and when its person last proved a credential for it, which a provider may have asked for long
 * before, in milliseconds since the epoch. Both are 0 for an unknown one, and for a program's: another sign-in, which may be
 * old, approved it. `proven` alone is 0 where the provider does not tell.
 */
export async function signInTimes(
  { db }: Pick<SignInDeps, 'db'>,
  user: UserId,
  id: string,
): Promise<{ readonly begun: number; readonly proven: number }> {
  const row = await findSignIn(db, user, id)
  if (!row || row.kind === 'program') return { begun: 0, proven: 0 }
  return { begun: row.created_at.getTime(), proven: (row.proven_at ?? row.created_at).getTime() }
}

/** Whether a sign-in of a person has neither been ended nor expired. */
export async function isSignInAlive({ db, clock }: SignInDeps, user: UserId, id: string): Promise<boolean> {
  const row = await findSignIn(db, user, id)
  return row !== undefined && row.expires_at.getTime() > clock.now()
}

/** Records the use of a login's token. @param lastSeen the use noted last, undefined for one without a row */
export async function noteUse(
  { db, clock }: SignInDeps,
  login: string,
  lastSeen: Date | undefined,
  origin: Origin,
): Promise<void> {
  const now = clock.now()
  if (!lastSeen || now - lastSeen.getTime() < USE_INTERVAL_MS) return
  await touchSignIn(db, login, { at: new Date(now), source: origin.source })
}

/** A page of the person's living sign-ins, last used first. @param place names the place of an address, '' unknown */
export function listSignIns(
  deps: SignInDeps,
  actor: UserActor,
  page: Page,
  place: (address: string) => string,
): Promise<Listing<SignIn>> {
  return listSignInsOfPerson(deps, actor.id, page, place, signInOf(actor))
}

/** A page of somebody's living sign-ins. @param current id of the reader's own, if it is among them */
export async function listSignInsOfPerson(
  { db, clock }: SignInDeps,
  user: UserId,
  page: Page,
  place: (address: string) => string,
  current = '',
): Promise<Listing<SignIn>> {
  const { rows, total } = await listSignInsOf(db, user, new Date(clock.now()), page)
  const items = rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    browser: browserName(row.user_agent),
    user_agent: row.user_agent,
    source: row.source,
    place: place(row.source),
    created_at: row.created_at.toISOString(),
    last_seen: row.last_seen.toISOString(),
    expires_at: row.expires_at.toISOString(),
    current: row.id === current,
  }))
  return { items, total }
}

/**
 * Ends one sign-in of the person with all its tokens.
 * @throws {BowlineError} NOT_FOUND
 */
export async function endOneSignIn({ db, clock }: SignInDeps, actor: UserActor, id: string, origin: Origin) {
  const now = clock.now()
  await db.transaction().execute(async (inner) => {
    const row = (await deleteSignIn(inner, actor.id, id)) ?? fail('NOT_FOUND', { what: 'The sign-in' })
    await endTokens(inner, row, now)
    await endApprovals(inner, actor.id)
    const details = { browser: browserName(row.user_agent), source: row.source }
    await noteAccountEvent(inner, now, { user: actor.id, kind: 'sign-out', origin, details })
  })
}

/**
 * Ends every other sign-in of the person: those made before the first factor must not outlive it.
 * @param db system connection, inside the transaction of the change
 */
export async function endOtherSignIns({ db, clock }: SignInDeps, actor: UserActor): Promise<void> {
  for (const row of await deleteOtherSignIns(db, actor.id, signInOf(actor))) await endTokens(db, row, clock.now())
  await endApprovals(db, actor.id)
}

/**
 * Ends the sign-ins that came of a session at an OpenID provider, which has ended, and what waits to become one.
 * @param db system connection, in a transaction
 * @returns number of sign-ins
 */
export async function endSignInsOfProvider(
  { db, clock }: SignInDeps,
  ended: EndedAtProvider,
  origin: Origin,
): Promise<number> {
  const now = clock.now()
  // Sign-ins that begin lock the account before the session.
  for (const user of await listUsersOfSessions(db, ended)) await lockAccount(db, user)
  let count = 0
  for (const { user_id: user, sign_in: id } of await deleteProviderSessions(db, ended)) {
    const row = id === null ? undefined : await deleteSignIn(db, user, id)
    if (!row) continue
    await endTokens(db, row, now)
    await endApprovals(db, user)
    const details = { browser: browserName(row.user_agent), source: row.source, provider: true }
    await noteAccountEvent(db, now, { user, kind: 'sign-out', origin, details })
    count += 1
  }
  return count
}

/**
 * Ends what an ended sign-in may have approved and what would outlive it: codes that become sign-ins, and ssh logins that
 * pass without a second factor for some hours.
 */
async function endApprovals(db: Kysely<Schema>, user: UserId): Promise<void> {
  await deleteApprovedCodes(db, user)
  await deleteFactorWindows(db, user)
}

/**
 * Ends a browser session or program of which somebody holds a copy, with what that may have approved.
 * @param db system connection, in a transaction
 */
export async function endFamilyAndApprovals(db: Kysely<Schema>, user: UserId, family: string): Promise<void> {
  await deleteFamily(db, family)
  await deleteSignIn(db, user, family)
  await endApprovals(db, user)
}

/** Ends the tokens of a sign-in whose row is gone. @param now milliseconds since the epoch */
async function endTokens(db: Kysely<Schema>, { id, user_id: user, kind }: SignInRow, now: number): Promise<void> {
  if (kind !== 'token') return deleteFamily(db, id)
  await insertEndedLogin(db, { login: id, user, expiresAt: new Date(now + lifeOf('token')) })
}
