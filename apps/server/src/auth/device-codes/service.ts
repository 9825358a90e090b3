// Sign-in of programs by a code that a signed-in person approves (RFC 8628).
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { WaitingRoom } from '../../budgets/waiting.ts'
import type { Origin, UserActor } from '../../context.ts'
import { hashOf } from '../../platform/secrets/hash.ts'
import { noteAccountEvent } from '../../users/activity.ts'
import { lockAccount } from '../../users/service.ts'
import { requireRecentProof } from '../ownership.ts'
import { type AuthDeps, refreshBrowserSession, startBrowserSession } from '../service.ts'
import { noteDevice } from '../sign-ins/devices.ts'
import { countGuess, decideCode, deleteCode, findUndecided, guessesOf, insertCode, pollCode } from './store.ts'
import { newUserCode, plainUserCode } from './user-code.ts'

const { programCode } = LIMITS
const HOUR_MS = 3_600_000

/**
 * Starts a sign-in.
 * @param room of the table program_codes
 * @throws {BowlineError} TOO_MANY_REQUESTS when the source or its network has too many waiting, or too many ask at once
 */
export async function startProgramSignIn(deps: AuthDeps, room: WaitingRoom, name: string, origin: Origin) {
  const { clock, ids, mails } = deps
  const now = clock.now()
  const [deviceCode, userCode] = [ids.secret(32), newUserCode()]
  const row = {
    device_hash: hashOf(deviceCode),
    user_hash: hashOf(plainUserCode(userCode)),
    name,
    user_agent: origin.userAgent.slice(0, 256),
    created_at: new Date(now),
    expires_at: new Date(now + programCode.minutes * 60_000),
  }
  await room.add(deps, origin.source, (db, source) => insertCode(db, { ...row, source }))
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: mails.link('/activate'),
    verification_uri_complete: mails.link('/activate', { code: userCode }),
    expires_in: programCode.minutes * 60,
    interval: programCode.pollSeconds,
  }
}

/**
 * Exchanges an approved code: of concurrent calls one succeeds.
 * @throws {BowlineError} CODE_PENDING, CODE_TOO_FAST, CODE_DENIED; CODE_EXPIRED also for an unknown code, and when the
 *   account changed since it approved
 */
export async function exchangeCode(deps: AuthDeps, deviceCode: string, origin: Origin) {
  const now = deps.clock.now()
  const hash = hashOf(deviceCode)
  const outcome = await deps.db.transaction().execute(async (db) => {
    const row = await pollCode(db, hash, new Date(now))
    if (!row) return 'CODE_EXPIRED'
    const sinceLast = row.polled_at ? now - row.polled_at.getTime() : Number.POSITIVE_INFINITY
    if (row.user_id === null) return sinceLast < programCode.pollSeconds * 1_000 ? 'CODE_TOO_FAST' : 'CODE_PENDING'
    await deleteCode(db, hash)
    if (row.approved !== true) return 'CODE_DENIED'
    const account = await lockAccount(db, row.user_id)
    if (account?.status !== 'confirmed' || account.tokenEpoch !== row.token_epoch) return 'CODE_EXPIRED'
    await noteAccountEvent(db, now, { user: account.id, kind: 'sign-in', origin, details: { program: row.name } })
    return { account, name: row.name }
  })
  if (typeof outcome === 'string') return fail(outcome, { seconds: programCode.pollSeconds })
  const { account, name } = outcome
  // The list of sign-ins names the program as the person approved it.
  const session = await startBrowserSession(
    deps,
    account,
    { source: origin.source, userAgent: name },
    { kind: 'program' },
  )
  await noteDevice(deps, account, origin, undefined)
  return { ...session.auth, refresh_token: session.refreshToken }
}

/** Renews a program's token. @throws {BowlineError} UNAUTHORIZED */
export async function renewProgram(deps: AuthDeps, refreshToken: string, origin: Origin) {
  const session = await refreshBrowserSession(deps, refreshToken, origin)
  return { ...session.auth, refresh_token: session.refreshToken }
}

/**
 * The program that waits under a code.
 * @throws {BowlineError} NOT_FOUND; TOO_MANY_REQUESTS after many wrong codes of the person
 */
export async function describeProgram(deps: AuthDeps, actor: UserActor, typed: string) {
  const { db, clock } = deps
  const now = clock.now()
  const since = new Date(now - HOUR_MS)
  if ((await guessesOf(db, actor.id, since)) >= programCode.guessesPerHour) {
    fail('TOO_MANY_REQUESTS', { seconds: HOUR_MS / 1_000 })
  }
  const row = await findUndecided(db, hashOf(plainUserCode(typed)), new Date(now))
  if (row)
    return { name: row.name, source: row.source, expires_in: Math.ceil((row.expires_at.getTime() - now) / 1_000) }
  const guesses = await countGuess(db, actor.id, new Date(now), since)
  // Concurrent guesses beyond the limit learn nothing.
  if (guesses > programCode.guessesPerHour) fail('TOO_MANY_REQUESTS', { seconds: HOUR_MS / 1_000 })
  return fail('NOT_FOUND', { what: 'The code' })
}

/**
 * Approves or denies a program's sign-in as the person, who has proven a factor or the password lately: a stolen session
 * must not make sign-ins that outlive it.
 * @throws {BowlineError} FRESH_PROOF_REQUIRED and those of {@link describeProgram}
 */
export async function decideProgram(
  deps: AuthDeps,
  actor: UserActor,
  { typed, approve }: { readonly typed: string; readonly approve: boolean },
  origin: Origin,
): Promise<void> {
  if (approve) await requireRecentProof(deps, actor)
  const { name, source } = await describeProgram(deps, actor, typed)
  const now = deps.clock.now()
  await deps.db.transaction().execute(async (db) => {
    const account = (await lockAccount(db, actor.id)) ?? fail('NOT_FOUND', { what: 'The user' })
    const decision = { user_id: account.id, token_epoch: account.tokenEpoch, approved: approve }
    const isDecided = await decideCode(db, hashOf(plainUserCode(typed)), new Date(now), decision)
    if (!isDecided) fail('NOT_FOUND', { what: 'The code' })
    const kind = approve ? 'program.approve' : 'program.deny'
    await noteAccountEvent(db, now, { user: account.id, kind, origin, details: { program: name, from: source } })
  })
}
