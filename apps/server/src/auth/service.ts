// Sign-in of people and the life of their tokens.
import { createHmac } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { UserAuth } from '@bowline/contract/schemas/user'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { Origin, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { MailQueue } from '../mails/queue.ts'
import { chooseMembership, membershipRole } from '../namespaces/service.ts'
import { sourceKey } from '../platform/network/address.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { grantsOf } from '../roles/grants.ts'
import { noteAccountEvent } from '../users/activity.ts'
import {
  type Account,
  findAccount,
  getAccount,
  lockAccount,
  recordLogin,
  setPreferredTenant,
} from '../users/service.ts'
import { mayTryPassword, verifyPassword } from './password-check.ts'
import { noteFreshProof } from './fresh-proofs.ts'
import type { PasswordHasher } from './password-hashes/passwords.ts'
import { type SecondStepParts, type SigningIn, attachToProvider, secondFactorRequired } from './pending-sign-ins.ts'
import { noteDevice } from './sign-ins/devices.ts'
import { endFamilyAndApprovals, noteRenewal, noteUse, recordSignIn } from './sign-ins/service.ts'
import { deleteSignIn, deleteSignInsOf } from './sign-ins/store.ts'
import {
  deleteFamiliesOf,
  deleteFamily,
  findRefreshToken,
  findTokenSubject,
  insertEndedLogin,
  insertRefreshToken,
  saveKnownSource,
  setFamilyTenant,
  useRefreshToken,
} from './store.ts'
import type { TokenIssuer } from './tokens.ts'
import { requireLocalSignIn } from './ways-in.ts'

export interface AuthDeps extends SecondStepParts {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
  readonly passwords: PasswordHasher
  readonly tokens: TokenIssuer
  readonly maximumLockoutMinutes: number
  /** Secret that successors of refresh tokens are derived with. */
  readonly refreshSecret: string
  readonly mails: MailQueue
  /** Hash of the password of a registration that waits under a username; undefined without one. */
  readonly pendingPassword?: (username: string) => Promise<string | undefined>
  /** True if passwords are accepted on this instance. */
  readonly isLocalSignInOn: () => Promise<boolean>
}

export interface Credentials {
  /** Username or e-mail address. */
  readonly username: string
  readonly password: string
}

/**
 * Checks a username (or e-mail address) and password, in the contract's order.
 * @throws {BowlineError} LOCAL_SIGN_IN_DISABLED, BAD_CREDENTIALS, EMAIL_UNCONFIRMED, LOCKED_OUT (detail `lockedUntil`: Unix seconds), or
 *   MFA_REQUIRED as a SecondFactorRequired with the token to continue with
 */
export async function signIn(deps: AuthDeps, credentials: Credentials, origin: Origin): Promise<Account> {
  await requireLocalSignIn(deps)
  const named = await findAccount(deps.db, credentials.username)
  const account = named && mayTryPassword(named) ? named : undefined
  // Looked up in any case: the work is the same for every name.
  const waiting = await deps.pendingPassword?.(credentials.username)
  const pendingHash = named ? undefined : waiting
  const guess = { identifier: credentials.username, account, pendingHash, password: credentials.password }
  if (!(await verifyPassword(deps, guess, origin))) return fail('BAD_CREDENTIALS')
  if (!account) return fail('EMAIL_UNCONFIRMED')
  // Only a caller who knows the password learns that the address is unconfirmed.
  if (account.status === 'not-confirmed') fail('EMAIL_UNCONFIRMED')
  if (account.mfaEnabled) throw await secondFactorRequired(deps, account)
  await noteSignIn(deps, account, origin)
  return account
}

/** Records a completed sign-in, after its last factor. */
export async function noteSignIn(
  deps: Pick<AuthDeps, 'db' | 'clock'>,
  account: Account,
  origin: Origin,
): Promise<void> {
  const now = deps.clock.now()
  await deps.db.transaction().execute(async (db) => {
    await recordLogin(db, account.id, new Date(now))
    await noteAccountEvent(db, now, { user: account.id, kind: 'sign-in', origin })
  })
}

/** Records a sign-in that its second factor has completed, and makes its source a known one. */
export async function noteProvenSignIn(
  deps: Pick<AuthDeps, 'db' | 'clock'>,
  account: Account,
  origin: Origin,
): Promise<void> {
  await noteSignIn(deps, account, origin)
  await saveKnownSource(deps.db, account.id, sourceKey(origin.source), new Date(deps.clock.now()))
}

/**
 * Verifies the current password of a signed-in person. Failures count like failed sign-ins.
 * @throws {BowlineError} LOCKED_OUT
 */
export function isCurrentPassword(
  deps: AuthDeps,
  account: Account,
  password: string,
  origin: Origin,
): Promise<boolean> {
  return verifyPassword(deps, { identifier: account.username, account, password }, origin)
}

/** Properties shared by all tokens renewed from one sign-in. */
interface SignInLife {
  /** Set for browser sessions. */
  readonly family: string | undefined
  /** Set for `POST /api/login`. */
  readonly login: string | undefined
  /** Unix seconds at which every token of the sign-in expires at the latest. */
  readonly endsAt: number
}

/**
 * Response to a sign-in: a token for the preferred namespace, or for `tenant`.
 * @param options life of the sign-in whose token is renewed; without one a sign-in of `POST /api/login` begins
 */
export async function authenticate(
  deps: AuthDeps,
  account: Account,
  options: { tenant?: TenantId | undefined } & Partial<SignInLife> = {},
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
    ...(options.family ? { family: options.family } : { login: options.login ?? deps.ids.uuid() }),
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
    pending_email: account.pendingEmail,
    recovery_email: account.recoveryEmail,
    tenant: membership?.tenant ?? '',
    role: membership?.role ?? '',
    grants: membership ? await grantsOf(deps.db, membership.tenant, account.id) : [],
    mfa: account.mfaEnabled,
    has_password: account.passwordHash !== undefined,
    max_namespaces: account.maxNamespaces,
    instance_admin: account.isInstanceAdmin,
  }
}

/**
 * Starts a sign-in of a program, whose token lives for some days: a browser has {@link startBrowserSession}.
 * @param how.isProven true if a second factor was used: it counts as a fresh proof
 */
export async function startLogin(
  deps: AuthDeps,
  account: SigningIn,
  origin: Origin,
  { isProven = false }: { readonly isProven?: boolean } = {},
): Promise<UserAuth> {
  const login = deps.ids.uuid()
  await recordSignIn(deps, { id: login, user: account.id, kind: 'token', origin, provenAt: account.provenAt })
  await attachToProvider(deps, account, login)
  if (isProven) await noteFreshProof(deps, account.id, login)
  await noteDevice(deps, account, origin, undefined)
  return authenticate(deps, account, { login })
}

/**
 * A renewed token expires with its sign-in and no later than the token it was renewed from: a stolen token must not be
 * extendable by renewal.
 */
export function sameLife({ family, login, expiresAt }: UserActor): SignInLife {
  return { family, login, endsAt: expiresAt }
}

/**
 * Issues a token for another namespace of the person; browser sessions move along.
 * @throws {BowlineError} NOT_FOUND unless the person is an accepted member of it; NAMESPACE_DISABLED
 */
export async function switchNamespace(deps: AuthDeps, actor: UserActor, tenant: TenantId): Promise<UserAuth> {
  const role = await membershipRole(deps.db, actor.id, tenant)
  const account = await getAccount(deps.db, actor.id)
  if (!role || !account) return fail('NOT_FOUND', { what: 'The namespace' })
  if (actor.family) await setFamilyTenant(deps.db, actor.family, tenant)
  return authenticate(deps, account, { tenant, ...sameLife(actor) })
}

/** Value of a refresh cookie and the response that goes with it. */
export interface BrowserSession {
  readonly refreshToken: string
  readonly auth: UserAuth
}

/**
 * Starts a session with a refresh token after a sign-in.
 * @param how.kind `program`: not a browser, which the person's list of sign-ins tells apart
 * @param how.isProven true if a second factor was used: it counts as a fresh proof
 * @throws {BowlineError} BAD_CREDENTIALS when the account's tokens were revoked since its password was verified
 */
export async function startBrowserSession(
  deps: AuthDeps,
  account: SigningIn,
  origin: Origin,
  { kind = 'browser', isProven = false }: { readonly kind?: 'browser' | 'program'; readonly isProven?: boolean } = {},
): Promise<BrowserSession> {
  return deps.db.transaction().execute(async (db) => {
    // A concurrent password change would not see the family added here, and could not end it.
    const current = (await lockAccount(db, account.id)) ?? fail('BAD_CREDENTIALS')
    if (current.tokenEpoch !== account.tokenEpoch) fail('BAD_CREDENTIALS')
    const inner = { ...deps, db }
    const family = deps.ids.uuid()
    const auth = await authenticate(inner, account, { family })
    const refreshToken = deps.ids.secret(32)
    if (isProven) await noteFreshProof(inner, account.id, family)
    await saveRefreshToken(inner, refreshToken, { family, user: account.id, tenant: auth.tenant, origin })
    await recordSignIn(inner, { id: family, user: account.id, kind, origin, provenAt: account.provenAt })
    await attachToProvider(inner, account, family)
    return { refreshToken, auth }
  })
}

/**
 * Exchanges a refresh token. For some seconds an exchanged token leads to its successor, so that a lost response or
 * concurrent requests end nothing. Later, or from another browser, it ends its whole family: thief or owner holds a
 * copy, and which one is unknown.
 * @throws {BowlineError} UNAUTHORIZED
 */
export async function refreshBrowserSession(deps: AuthDeps, value: string, origin: Origin): Promise<BrowserSession> {
  const session = await deps.db.transaction().execute((db) => exchange({ ...deps, db }, value, origin))
  return session ?? fail('UNAUTHORIZED')
}

/** Runs in a transaction: a concurrent sign-out must not miss the new token. */
async function exchange(deps: AuthDeps, value: string, origin: Origin): Promise<BrowserSession | undefined> {
  const token = await findRefreshToken(deps.db, hashOf(value))
  const now = new Date(deps.clock.now())
  if (!token || token.expires_at <= now) return undefined
  const isFirst = await useRefreshToken(deps.db, token.id, now)
  const successor = isFirst ? successorOf(deps, value) : await newestSuccessor(deps, value, origin)
  if (successor === undefined) {
    deps.log.warn('auth.refresh-replayed', { user: token.user_id, source: origin.source })
    await endFamilyAndApprovals(deps.db, token.user_id, token.family)
    await noteAccountEvent(deps.db, now.getTime(), { user: token.user_id, kind: 'session.replay', origin })
    return undefined
  }
  const account = await getAccount(deps.db, token.user_id)
  if (!account || account.status !== 'confirmed') return undefined
  const auth = await authenticate(deps, account, { tenant: token.tenant ?? undefined, family: token.family })
  if (isFirst) {
    const { family } = token
    await saveRefreshToken(deps, successor, { family, user: account.id, tenant: auth.tenant, origin })
    await noteRenewal(deps, family, origin)
  }
  return { refreshToken: successor, auth }
}

/** Successor of a token: deterministic, and unpredictable without the server's secret. */
function successorOf({ refreshSecret }: AuthDeps, value: string): string {
  return createHmac('sha256', refreshSecret).update(value).digest('base64url')
}

/**
 * Newest successor of an exchanged token; undefined when it was exchanged too long ago or by another browser. A late
 * request gets the newest, since its response may arrive last and the browser keeps that cookie.
 */
async function newestSuccessor(deps: AuthDeps, exchanged: string, origin: Origin): Promise<string | undefined> {
  const since = deps.clock.now() - LIMITS.refreshGraceSeconds * 1_000
  for (let value = exchanged; ; value = successorOf(deps, value)) {
    const row = await findRefreshToken(deps.db, hashOf(value))
    if (!row) return undefined
    if (value !== exchanged && row.user_agent !== origin.userAgent.slice(0, 256)) return undefined
    if (!row.used_at) return value
    if (row.used_at.getTime() < since) return undefined
  }
}

/** Ends the browser session of a refresh token; ignores an unknown one. */
export async function endBrowserSession(deps: AuthDeps, value: string, origin: Origin): Promise<void> {
  const token = await findRefreshToken(deps.db, hashOf(value))
  if (token) await endFamily(deps, token.family, token.user_id, origin)
}

/** Ends the sign-in of a bearer token with all its tokens; ignores an invalid token. */
export async function endSignIn(deps: AuthDeps, bearer: string, origin: Origin): Promise<void> {
  const actor = await userOfToken(deps, bearer, origin)
  if (!actor) return
  const { family, login, id: user } = actor
  if (family) await endFamily(deps, family, user, origin)
  if (!login) return
  const now = deps.clock.now()
  // No token of the sign-in lives longer than a fresh one would.
  const expiresAt = new Date(now + LIMITS.userTokenHours * 3_600_000)
  await deps.db.transaction().execute(async (db) => {
    const isFirst = await insertEndedLogin(db, { login, user, expiresAt })
    await deleteSignIn(db, user, login)
    if (isFirst) await noteAccountEvent(db, now, { user, kind: 'sign-out', origin })
  })
}

async function endFamily(deps: AuthDeps, family: string, user: UserId, origin: Origin): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await deleteFamily(db, family)
    await deleteSignIn(db, user, family)
    await noteAccountEvent(db, deps.clock.now(), { user, kind: 'sign-out', origin })
  })
}

/** Ends every browser session of a person. @param db system connection, inside the caller's transaction */
export async function endBrowserSessionsOf(db: Kysely<Schema>, user: UserId): Promise<void> {
  await deleteFamiliesOf(db, user)
  // The callers revoke the tokens of programs too, by the account's epoch.
  await deleteSignInsOf(db, user)
}

/** Person behind a bearer token; undefined when it is not or no longer valid. */
export async function userOfToken(deps: AuthDeps, token: string, origin: Origin): Promise<UserActor | undefined> {
  const claims = await deps.tokens.readUser(token)
  if (!claims) return undefined
  const tenant = claims.tenant === '' ? undefined : claims.tenant
  const { family } = claims
  const login = family ? undefined : (claims.login ?? claims.jti)
  const subject = await findTokenSubject(deps.db, { user: claims.id, tenant, family, login })
  if (!subject) return undefined
  const { epoch, signInLives, lastSeen, role, ...account } = subject
  if (epoch !== claims.epoch || !signInLives) return undefined
  // The membership has ended: the token belongs to a namespace its holder may no longer see.
  if (tenant && !role) return undefined
  if (login) await noteUse(deps, login, lastSeen ?? undefined, origin)
  const own = { id: claims.id, tenant, family, login, expiresAt: claims.exp }
  return { ...account, ...own, kind: 'user', role: (role ?? undefined) as Role | undefined }
}

async function saveRefreshToken(
  deps: AuthDeps,
  value: string,
  token: { family: string; user: UserId; tenant: TenantId | string; origin: Origin },
): Promise<void> {
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
}
