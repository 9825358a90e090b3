// Sign-in of people (api.md section 14) and what becomes of their tokens.
import { createHash } from 'node:crypto'
import { BowlineError, fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { UserAuth } from '@bowline/contract/schemas/user'
import type { Kysely } from 'kysely'
import type { UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { chooseMembership, membershipRole } from '../namespaces/service.ts'
import { sourceKey } from '../platform/address.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { type Account, findAccount, getAccount, recordLogin, setPreferredTenant } from '../users/service.ts'
import { lockoutAfter } from './lockout.ts'
import type { PasswordHasher } from './passwords.ts'
import {
  clearFailures,
  countFailure,
  deleteExpired,
  deleteFamiliesOf,
  deleteFamily,
  findLock,
  findRefreshToken,
  findTokenSubject,
  insertRefreshToken,
  saveLockout,
  setFamilyTenant,
  useRefreshToken,
} from './store.ts'
import type { TokenIssuer } from './tokens.ts'

export interface AuthDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
  readonly passwords: PasswordHasher
  readonly tokens: TokenIssuer
  readonly maximumLockoutMinutes: number
}

export interface Credentials {
  /** Username or e-mail address. */
  readonly username: string
  readonly password: string
}

/** Where a sign-in comes from. */
export interface Origin {
  readonly source: string
  readonly userAgent: string
}

/**
 * Checks a username (or e-mail address) and password, in the contract's order.
 * @throws {BowlineError} BAD_CREDENTIALS, EMAIL_UNCONFIRMED or LOCKED_OUT (detail `lockedUntil`: Unix seconds)
 */
export async function signIn(deps: AuthDeps, credentials: Credentials, origin: Origin): Promise<Account> {
  const account = await findAccount(deps.db, credentials.username)
  const usable = account !== undefined && account.status !== 'invited' && account.authMethods.includes('local')
  const source = sourceKey(origin.source)
  const now = deps.clock.now()
  if (usable) {
    const lockedUntil = await findLock(deps.db, source, account.id, now)
    if (lockedUntil) throw lockedOut(lockedUntil)
  }
  const matches = await deps.passwords.verify(usable ? account.passwordHash : undefined, credentials.password)
  if (!usable) return fail('BAD_CREDENTIALS')
  // Many guesses sent at once all pass the first look: the lock that some of them lead to holds for the rest.
  const lockedMeanwhile = await findLock(deps.db, source, account.id, now)
  if (lockedMeanwhile) throw lockedOut(lockedMeanwhile)
  if (matches) {
    await clearFailures(deps.db, source, account.id)
    // Only who knows the password learns that the address is unconfirmed.
    if (account.status === 'not-confirmed') fail('EMAIL_UNCONFIRMED')
    await recordLogin(deps.db, account.id, new Date(now))
    return account
  }
  const { expiresAt: rememberedUntil } = lockoutAfter(1, deps.maximumLockoutMinutes, now)
  const attempts = await countFailure(deps.db, source, account.id, { now, rememberedUntil })
  const lockout = lockoutAfter(attempts, deps.maximumLockoutMinutes, now)
  await saveLockout(deps.db, source, account.id, { attempts, ...lockout })
  deps.log.warn('auth.failed', { user: account.id, source, attempts })
  throw lockout.lockedUntil ? lockedOut(lockout.lockedUntil) : new BowlineError('BAD_CREDENTIALS')
}

function lockedOut(lockedUntil: number): BowlineError {
  return new BowlineError('LOCKED_OUT', { lockedUntil: Math.floor(lockedUntil / 1_000) })
}

/**
 * The answer to a sign-in: a token for the preferred namespace, or for `tenant`.
 * @param options.family set for browser sessions
 * @param options.endsAt Unix seconds after which the token is not valid in any case
 */
export async function authenticate(
  deps: AuthDeps,
  account: Account,
  options: { tenant?: TenantId | undefined; family?: string | undefined; endsAt?: number | undefined } = {},
): Promise<UserAuth> {
  const membership = await chooseMembership(deps.db, account.id, options.tenant ?? account.preferredTenant)
  if (membership && membership.tenant !== account.preferredTenant) {
    await setPreferredTenant(deps.db, account.id, membership.tenant)
  }
  const claims = {
    id: account.id,
    origin: account.origin,
    tenant: membership?.tenant ?? ('' as const),
    name: account.username,
    mfa: account.mfaEnabled,
    epoch: account.tokenEpoch,
    ...(options.family ? { family: options.family } : {}),
  }
  const token = await deps.tokens.user(claims, options.endsAt)
  return {
    token,
    id: account.id,
    origin: account.origin,
    auth_methods: [...account.authMethods],
    user: account.username,
    name: account.name,
    email: account.email,
    recovery_email: account.recoveryEmail,
    tenant: membership?.tenant ?? '',
    role: membership?.role ?? '',
    mfa: account.mfaEnabled,
    max_namespaces: account.maxNamespaces,
  }
}

/** The answer of `GET auth/user`. @throws {BowlineError} NOT_FOUND when the account is gone */
export async function describeUser(deps: AuthDeps, actor: UserActor): Promise<UserAuth> {
  const account = (await getAccount(deps.db, actor.id)) ?? fail('NOT_FOUND', { what: 'The user' })
  return authenticate(deps, account, { tenant: actor.tenant, ...sameLife(actor) })
}

/**
 * The token of a browser session is renewed by its cookie only: whoever got hold of a token must not be able to live on
 * by asking for the next one.
 */
function sameLife({ family, expiresAt }: UserActor): { family?: string; endsAt?: number } {
  return family ? { family, endsAt: expiresAt } : {}
}

/**
 * A token for another namespace of the person; browser sessions move with it.
 * @throws {BowlineError} NOT_FOUND when the person is no accepted member of it
 */
export async function switchNamespace(deps: AuthDeps, actor: UserActor, tenant: TenantId): Promise<UserAuth> {
  const role = await membershipRole(deps.db, actor.id, tenant)
  const account = await getAccount(deps.db, actor.id)
  if (!role || !account) return fail('NOT_FOUND', { what: 'The namespace' })
  if (actor.family) await setFamilyTenant(deps.db, actor.family, tenant)
  return authenticate(deps, account, { tenant, ...sameLife(actor) })
}

/** A refresh cookie's value with the answer that goes with it. */
export interface BrowserSession {
  readonly refreshToken: string
  readonly auth: UserAuth
}

/** Starts a browser session for somebody who has just signed in. */
export async function startBrowserSession(deps: AuthDeps, account: Account, origin: Origin): Promise<BrowserSession> {
  const family = deps.ids.uuid()
  const auth = await authenticate(deps, account, { family })
  const refreshToken = await saveRefreshToken(deps, { family, user: account.id, tenant: auth.tenant, origin })
  return { refreshToken, auth }
}

/**
 * Exchanges a refresh token. One that was exchanged before ends its whole family: either the thief or the owner holds a
 * copy, and nobody can tell which.
 * @throws {BowlineError} UNAUTHORIZED
 */
export async function refreshBrowserSession(deps: AuthDeps, value: string, origin: Origin): Promise<BrowserSession> {
  const session = await deps.db.transaction().execute((db) => exchange({ ...deps, db }, value, origin))
  return session ?? fail('UNAUTHORIZED')
}

/** In a transaction: a sign-out at the same moment must not leave the new token behind. */
async function exchange(deps: AuthDeps, value: string, origin: Origin): Promise<BrowserSession | undefined> {
  const token = await findRefreshToken(deps.db, hashOf(value))
  const now = new Date(deps.clock.now())
  if (!token || token.expires_at <= now) return undefined
  if (!(await useRefreshToken(deps.db, token.id, now))) {
    deps.log.warn('auth.refresh-replayed', { user: token.user_id, source: origin.source })
    await deleteFamily(deps.db, token.family)
    return undefined
  }
  const account = await getAccount(deps.db, token.user_id)
  if (!account || account.status !== 'confirmed') return undefined
  const auth = await authenticate(deps, account, { tenant: token.tenant ?? undefined, family: token.family })
  const refreshToken = await saveRefreshToken(deps, {
    family: token.family,
    user: account.id,
    tenant: auth.tenant,
    origin,
  })
  return { refreshToken, auth }
}

/** Ends the browser session of a refresh token; an unknown one is nothing to complain about. */
export async function endBrowserSession(deps: AuthDeps, value: string): Promise<void> {
  const token = await findRefreshToken(deps.db, hashOf(value))
  if (token) await deps.db.transaction().execute((db) => deleteFamily(db, token.family))
}

/** Ends every browser session of a person. @param db system connection, inside the caller's transaction */
export function endBrowserSessionsOf(db: Kysely<Schema>, user: UserId): Promise<void> {
  return deleteFamiliesOf(db, user)
}

/** Removes expired refresh tokens and forgotten failures. */
export function forgetExpired(deps: AuthDeps): Promise<void> {
  return deleteExpired(deps.db, new Date(deps.clock.now()))
}

/** The person behind a bearer token; undefined when it is not valid (any more). */
export async function userOfToken(deps: AuthDeps, token: string): Promise<UserActor | undefined> {
  const claims = await deps.tokens.readUser(token)
  if (!claims) return undefined
  const tenant = claims.tenant === '' ? undefined : claims.tenant
  const subject = await findTokenSubject(deps.db, claims.id, tenant, claims.family)
  if (!subject || subject.epoch !== claims.epoch || !subject.familyLives) return undefined
  // The membership has ended: the token belongs to a namespace its holder may no longer see.
  if (tenant && !subject.role) return undefined
  return {
    kind: 'user',
    id: claims.id,
    username: subject.username,
    tenant,
    role: (subject.role ?? undefined) as Role | undefined,
    family: claims.family,
    expiresAt: claims.exp,
  }
}

async function saveRefreshToken(
  deps: AuthDeps,
  token: { family: string; user: UserId; tenant: TenantId | string; origin: Origin },
): Promise<string> {
  const value = deps.ids.secret(32)
  await insertRefreshToken(deps.db, {
    id: deps.ids.uuid(),
    family: token.family,
    user_id: token.user,
    token_hash: hashOf(value),
    tenant: token.tenant === '' ? null : (token.tenant as TenantId),
    expires_at: new Date(deps.clock.now() + LIMITS.refreshDays * 86_400_000),
    user_agent: token.origin.userAgent.slice(0, 256),
    ip: token.origin.source,
  })
  return value
}

function hashOf(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}
