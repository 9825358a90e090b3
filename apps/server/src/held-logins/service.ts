// Use cases of people: the SSH logins that wait for them, and their decision.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { HeldLogin } from '@bowline/contract/schemas/held-login'
import type { Kysely } from 'kysely'
import { plainUserCode, shownUserCode } from '../auth/device-codes/user-code.ts'
import { hasRecentProof, requireRecentProof } from '../auth/ownership.ts'
import { requireLeft, spend } from '../budgets/service.ts'
import type { Actor, Origin, TenantContext, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Clock } from '@bowline/base/clock'
import { audit } from '../audit/service.ts'
import { noteAccountEvent } from '../users/activity.ts'
import { lockAccount } from '../users/service.ts'
import {
  type ShownRow,
  decideHeld,
  deleteOld,
  deleteWindowsOf,
  findHeld,
  listHeld,
  lockHeldLogins,
  openWindow,
} from './store.ts'
import type { WaitingLogins } from './waiting.ts'

export interface HeldLoginDeps {
  /** System connection: the logins of a person are of several namespaces. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly waiting: Pick<WaitingLogins, 'wake'>
  /** Names the place of an address, '' when unknown. */
  readonly place: (address: string) => string
  readonly tenantContext: (tenant: TenantId, actor: Actor, source?: string) => TenantContext
}

/** Wrong codes of a person: codes are guessed one by one. */
const GUESSES = { name: 'held-login-codes', limit: LIMITS.heldLogin.guessesPerHour, hours: 1 }

/** Logins by the actor's own keys that wait. */
export async function listHeldLogins(deps: HeldLoginDeps, actor: UserActor): Promise<HeldLogin[]> {
  const now = deps.clock.now()
  return (await listHeld(deps.db, actor.id, new Date(now))).map((row) => toHeldLogin(deps, row, now))
}

/** The login under a code. @throws {BowlineError} NOT_FOUND; TOO_MANY_REQUESTS after many wrong codes of the person */
export async function getHeldLogin(deps: HeldLoginDeps, actor: UserActor, code: string): Promise<HeldLogin> {
  return toHeldLogin(deps, await requireHeld(deps, actor, code), deps.clock.now())
}

/**
 * Approves a login as the actor: opens the window of its person, credential and network, so that everything that waits
 * for the same passes. An approval works once, and only before its deadline.
 * @throws {BowlineError} FRESH_PROOF_REQUIRED and those of {@link getHeldLogin}
 */
export async function approveHeldLogin(
  deps: HeldLoginDeps,
  actor: UserActor,
  code: string,
  origin: Origin,
): Promise<void> {
  const row = await requireHeld(deps, actor, code)
  await requireRecentProof(deps, actor)
  await decide(deps, actor, row, { approved: true, refuses: false }, origin)
}

/**
 * Denies a login. After a recent proof the same credential is refused from the same network for some minutes, too: a
 * stolen session alone must not keep its owner out. Ending one login needs no proof.
 * @throws {BowlineError} those of {@link getHeldLogin}
 */
export async function denyHeldLogin(
  deps: HeldLoginDeps,
  actor: UserActor,
  code: string,
  origin: Origin,
): Promise<void> {
  const row = await requireHeld(deps, actor, code)
  await decide(deps, actor, row, { approved: false, refuses: await hasRecentProof(deps, actor) }, origin)
}

/** Closes every window of a namespace, which stops or begins to ask for the factor. @param ctx in a transaction */
export function closeWindows({ db, tenant }: Pick<TenantContext, 'db' | 'tenant'>): Promise<void> {
  return deleteWindowsOf(db, tenant)
}

/** Deletes logins that are over, and windows older than any setting allows. */
export async function forgetHeldLogins(db: Kysely<Schema>, now: number): Promise<void> {
  const { heldLogin, sshFactorHours } = LIMITS
  const logins = new Date(now - heldLogin.deniedMinutes * 60_000 - heldLogin.seconds * 1_000)
  await deleteOld(db, { logins, windows: new Date(now - sshFactorHours.max * 3_600_000) })
}

async function requireHeld(deps: HeldLoginDeps, actor: UserActor, code: string): Promise<ShownRow> {
  await requireLeft(deps, GUESSES, actor.id)
  const row = await findHeld(deps.db, plainUserCode(code), actor.id, new Date(deps.clock.now()))
  if (row) return row
  await spend(deps, GUESSES, actor.id)
  return fail('NOT_FOUND', { what: 'The waiting login' })
}

async function decide(
  deps: HeldLoginDeps,
  actor: UserActor,
  row: ShownRow,
  { approved, refuses }: { readonly approved: boolean; readonly refuses: boolean },
  origin: Origin,
): Promise<void> {
  const time = deps.clock.now()
  const now = new Date(time)
  const ctx = deps.tenantContext(row.tenant_id, actor, origin.source)
  await deps.db.transaction().execute(async (db) => {
    await lockHeldLogins(db)
    const account = (await lockAccount(db, actor.id)) ?? fail('NOT_FOUND', { what: 'The user' })
    if (!(await decideHeld(db, row.id, { by: actor.id, approved, refuses, now })))
      fail('NOT_FOUND', { what: 'The waiting login' })
    const { tenant_id, credential, source } = row
    const window = { tenant_id, credential, source, user_id: actor.id, token_epoch: account.tokenEpoch, opened_at: now }
    if (approved) await openWindow(db, window)
    const details = { device: row.device_name, username: row.username, key: row.key_name, from: row.address }
    const kind = approved ? 'ssh-login.approve' : 'ssh-login.deny'
    await noteAccountEvent(db, time, { user: actor.id, kind, origin, details })
    await audit({ ...ctx, db }, approved ? 'held-login.approve' : 'held-login.deny', row.device_uid, details)
  })
  deps.waiting.wake([row.id])
  ctx.emit({ type: 'held-logins.changed', user: row.user_id ?? actor.id })
}

function toHeldLogin({ place }: HeldLoginDeps, row: ShownRow, now: number): HeldLogin {
  return {
    code: shownUserCode(row.code),
    tenant_id: row.tenant_id,
    namespace: row.namespace,
    device: row.device_uid,
    device_name: row.device_name,
    username: row.username,
    key: row.key_name,
    source: row.address,
    place: place(row.address),
    created_at: row.created_at.toISOString(),
    expires_in: Math.max(0, Math.ceil((row.expires_at.getTime() - now) / 1_000)),
    hours: row.hours,
  }
}
