// Sign-in by OpenID Connect: authorization code with PKCE, state and nonce, all bound to the browser that began.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { redirectName } from '@bowline/contract/openid-redirect'
import * as oidc from 'openid-client'
import { z } from 'zod'
import type { WaitingRoom } from '../../budgets/waiting.ts'
import type { Origin } from '../../context.ts'
import { hashOf } from '../../platform/secrets/hash.ts'
import { findProviderSession } from '../../auth/sign-ins/service.ts'
import { type ProvenIdentity, completeSignIn, readEmail, sessionSeal } from '../accounts.ts'
import { ownPath } from '../browser.ts'
import type { SingleSignOnDeps } from '../deps.ts'
import { rolesOfProviders } from '../group-roles.ts'
import type { Outcome } from '../outcome.ts'
import { type OpenidProviderRow, type ProviderRequestRow, findProvider, insertRequest, takeRequest } from '../store.ts'
import { type OpenidClients, reasonOf } from './client.ts'
import { redirectUrlOf } from './providers.ts'

export interface OpenidDeps extends SingleSignOnDeps {
  readonly clients: OpenidClients
}

const SCOPE = 'openid email profile'
/** Age of a session at the provider beyond which it asks anew; only with an age asked for it tells when it has asked. */
const MAX_AGE_SECONDS = 30 * 86_400
const MAX_GROUPS = 500
/** Year 9999, in seconds since the epoch. */
const MAX_SECONDS = 253_402_300_799
const Seconds = z.number().nonnegative().max(MAX_SECONDS)
const Sid = z.string().min(1).max(256)
const Kept = z.object({ nonce: z.string(), verifier: z.string() })
const Claims = z.object({
  email: z.string().max(254).optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
  name: z.string().max(256).optional().catch(undefined),
  preferred_username: z.string().max(256).optional().catch(undefined),
})
/** OpenID Connect Core section 2: at most 255 ASCII characters; some providers send others. */
const Subject = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\P{C}+$/u)
/** Some providers send a single group as text. */
const Groups = z.union([
  z.array(z.string().max(256)).max(MAX_GROUPS),
  z
    .string()
    .max(256)
    .transform((text) => [text]),
])

/**
 * Begins a sign-in.
 * @param from.browser hash of the browser's cookie
 * @param from.fresh asks the provider to have the person prove a credential, whatever session is there
 * @param from.room of the table provider_requests
 * @param from.source address of the browser
 * @returns address of the provider
 * @throws {BowlineError} TOO_MANY_REQUESTS, NOT_FOUND, IDENTITY_PROVIDER_FAILED
 */
export async function startOpenid(
  deps: OpenidDeps,
  id: string,
  {
    browser,
    next,
    fresh,
    room,
    source: address,
  }: {
    readonly browser: Buffer
    readonly next?: string | undefined
    readonly fresh: boolean
    readonly room: WaitingRoom
    readonly source: string
  },
): Promise<string> {
  const provider = await enabledProvider(deps, id)
  const config = await clientOf(deps, provider)
  const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()]
  const id_hash = hashOf(state)
  const request = {
    id_hash,
    browser_hash: browser,
    provider_id: provider.id,
    return_to: ownPath(next),
    sealed: deps.secretKey.seal(sealName(id_hash), Buffer.from(JSON.stringify({ nonce, verifier }))),
    tester: null,
    expires_at: new Date(deps.clock.now() + LIMITS.providerRequestMinutes * 60_000),
  }
  await room.add(deps, address, (db, source) => insertRequest(db, { ...request, source }))
  const isGrouped = (await rolesOfProviders(deps.db)).of(id).length > 0
  const target = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUrlOf(deps, provider),
    // Providers that know this scope send groups for nothing else.
    scope: isGrouped && config.serverMetadata().scopes_supported?.includes('groups') ? `${SCOPE} groups` : SCOPE,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    // OpenID Connect Core 3.1.2.1.
    ...(fresh ? { prompt: 'login', max_age: '0' } : { max_age: String(MAX_AGE_SECONDS) }),
  })
  return target.href
}

/**
 * Judges what a provider has sent a browser back with, and signs in whom it names.
 * @param answer `name`: last part of the address that was called, which tells who sent the browser
 */
export async function finishOpenid(
  deps: OpenidDeps,
  answer: {
    readonly name: string
    readonly query: URLSearchParams
    readonly browser: Buffer | undefined
    readonly origin: Origin
  },
): Promise<Outcome> {
  const { name, query, browser, origin } = answer
  const states = query.getAll('state')
  const [state = ''] = states
  const by = { idHash: hashOf(state), browserHash: browser ?? Buffer.of(), now: new Date(deps.clock.now()) }
  const request = states.length === 1 && browser ? await takeRequest(deps.db, by) : undefined
  const provider = request?.provider_id ? await findProvider(deps.db, request.provider_id) : undefined
  if (!request || !browser || !provider) return { kind: 'refused', why: 'request' }
  if (name !== redirectName(provider.issuer)) return { kind: 'refused', why: 'request' }
  if (!provider.enabled) return { kind: 'refused', why: 'off' }
  let identity: FoundIdentity
  try {
    identity = await identityOf(deps, provider, request, { state, query })
  } catch (error) {
    deps.log.warn('openid.refused', { provider: provider.name, reason: reasonOf(error), source: origin.source })
    return { kind: 'refused', why: 'answer' }
  }
  if (!isWhole(identity)) return { kind: 'missing', attributes: ['email'] }
  return {
    ...(await completeSignIn(deps, identity, { browser, next: request.return_to, origin })),
    provider: provider.id,
  }
}

/**
 * Address that ends the session at the provider; '' when it has none, or people are not to be offered it. With the ID token
 * of the browser's last sign-in there, which tells the provider whose session it is (RP-Initiated Logout 1.0, 2).
 * @param browser hash of the browser's cookie; undefined when it has none
 * @throws {BowlineError} as startOpenid
 */
export async function signOutAddress(deps: OpenidDeps, id: string, browser: Buffer | undefined): Promise<string> {
  const provider = await enabledProvider(deps, id)
  if (!provider.sign_out) return ''
  const config = await clientOf(deps, provider)
  if (config.serverMetadata().end_session_endpoint === undefined) return ''
  const session = browser && (await findProviderSession(deps.db, id, browser))
  const hint = session?.sealed && deps.secretKey.open(sessionSeal(session.id), session.sealed).toString()
  return oidc.buildEndSessionUrl(config, {
    post_logout_redirect_uri: `${deps.publicOrigin()}/sign-in`,
    ...(hint ? { id_token_hint: hint } : {}),
  }).href
}

/** Reads the provider's discovery document anew. @throws {BowlineError} NOT_FOUND, IDENTITY_PROVIDER_FAILED */
export async function testProvider(deps: Pick<OpenidDeps, 'db' | 'clients'>, id: string) {
  const provider = (await findProvider(deps.db, id)) ?? fail('NOT_FOUND', { what: 'The provider' })
  deps.clients.forget(provider)
  const server = (await clientOf(deps, provider)).serverMetadata()
  const { authorization_endpoint = '', end_session_endpoint = '' } = server
  return { authorization_endpoint, end_session_endpoint }
}

/** @throws {Error} of the library, for anything that does not fit */
async function identityOf(
  deps: OpenidDeps,
  provider: OpenidProviderRow,
  request: ProviderRequestRow,
  { state, query }: { readonly state: string; readonly query: URLSearchParams },
): Promise<FoundIdentity> {
  const config = await deps.clients.of(provider)
  const kept = deps.secretKey.open(sealName(request.id_hash), request.sealed ?? Buffer.of()).toString()
  const { nonce, verifier } = Kept.parse(JSON.parse(kept))
  const address = new URL(`${redirectUrlOf(deps, provider)}?${query.toString()}`)
  const tokens = await oidc.authorizationCodeGrant(config, address, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
  const proven = tokens.claims()
  if (!proven) throw new Error('there is no ID token')
  // Many providers put the address into the other answer only. The library compares its subject with the token's.
  const isShort = proven['email'] === undefined || (await needsGroups(deps, provider, config, proven))
  const more = isShort ? await oidc.fetchUserInfo(config, tokens.access_token, proven.sub) : {}
  const all: Readonly<Record<string, unknown>> = { ...more, ...proven }
  const claims = Claims.parse({ ...all, ...addressOf(proven, more) })
  return {
    kind: 'openid',
    issuer: proven.iss,
    subject: Subject.parse(proven.sub),
    email: readEmail(claims.email),
    // A missing claim vouches for nothing.
    emailVerified: claims.email_verified === true,
    name: claims.name ?? claims.preferred_username ?? '',
    groups: groupsOf(deps, provider, all),
    provider: provider.id,
    session: { sid: Sid.safeParse(proven['sid']).data ?? null, idToken: tokens.id_token ?? '' },
    // Without it the provider may have signed the person in on its own.
    provenAt: new Date((Seconds.safeParse(proven.auth_time).data ?? 0) * 1_000),
  }
}

/**
 * The address and whether it is verified, both of one answer: one that vouches for its own address says nothing about the
 * address of the other.
 */
function addressOf(
  ...answers: readonly Readonly<Record<string, unknown>>[]
): Readonly<Record<'email' | 'email_verified', unknown>> {
  const withAddress = answers.filter(({ email }) => email !== undefined)
  const found = withAddress.find(({ email_verified: verified }) => verified !== undefined) ?? withAddress[0]
  return { email: found?.['email'], email_verified: found?.['email_verified'] }
}

/** True if the other answer may have the groups that roles depend on. */
async function needsGroups(
  { db }: OpenidDeps,
  { id, group_claim: claim }: OpenidProviderRow,
  config: oidc.Configuration,
  proven: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  if (proven[claim] !== undefined || config.serverMetadata().userinfo_endpoint === undefined) return false
  return (await rolesOfProviders(db)).of(id).length > 0
}

/** @returns undefined when they are not readable, or left out because they are many */
function groupsOf(
  { log }: OpenidDeps,
  { name, group_claim: claim }: OpenidProviderRow,
  claims: Readonly<Record<string, unknown>>,
): string[] | undefined {
  // OpenID Connect Core 5.6.2: the values of the claims named here are to be fetched elsewhere.
  const elsewhere = z.record(z.string(), z.unknown()).safeParse(claims['_claim_names']).data ?? {}
  const value = claims[claim]
  if (value === undefined && !Object.hasOwn(elsewhere, claim)) return []
  const { data } = Groups.safeParse(value)
  if (!data) log.warn('openid.groups-unreadable', { provider: name, claim })
  return data
}

type FoundIdentity = Omit<ProvenIdentity, 'email'> & { readonly email: string | undefined }

function isWhole(identity: FoundIdentity): identity is ProvenIdentity {
  return identity.email !== undefined
}

async function enabledProvider({ db }: OpenidDeps, id: string): Promise<OpenidProviderRow> {
  const provider = await findProvider(db, id)
  return provider?.enabled ? provider : fail('NOT_FOUND', { what: 'The provider' })
}

async function clientOf(
  { clients }: Pick<OpenidDeps, 'clients'>,
  provider: OpenidProviderRow,
): Promise<oidc.Configuration> {
  try {
    return await clients.of(provider)
  } catch (error) {
    return fail('IDENTITY_PROVIDER_FAILED', { reason: reasonOf(error) })
  }
}

/** Binds nonce and verifier to their request: those of another one do not open. */
function sealName(idHash: Buffer): string {
  return `openid-request/${idHash.toString('hex')}`
}
