// Identities of providers and the accounts that they belong to. An identity is known by what its provider calls the
// person for good, never by an address: an address only proposes an account, whose owner has to prove to be the person.
import { LIMITS } from '@bowline/contract/limits'
import { Email, PersonName } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { insertProviderSession } from '../auth/sign-ins/service.ts'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { KnownLink } from '../db/tables/single-sign-on-tables.ts'
import { addNotice } from '../mails/notices.ts'
import { emitMember } from '../members/changes.ts'
import { type PlannedRole, followGroups, lockGiven } from '../members/provided.ts'
import { joinProvisioned } from '../members/provisioned.ts'
import { networkKey } from '../platform/network/address.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { noteAccountEvent } from '../users/activity.ts'
import { createProviderAccount, isTakenName, useProvider } from '../users/provider-accounts.ts'
import { type Account, findAccountByEmail, getAccount, lockAccount } from '../users/service.ts'
import type { SingleSignOnDeps } from './deps.ts'
import { rolesOfGroups } from './group-roles.ts'
import type { Outcome } from './outcome.ts'
import {
  type IdentityKey,
  findIdentity,
  findSettings,
  holdsIdentity,
  insertExchange,
  insertIdentity,
  insertProposal,
  touchIdentity,
} from './store.ts'

/** Longest ID token that is kept: it travels in an address, in characters. */
const MAX_HINT = 6_000

/** A person as a provider describes them, after every check of the message. */
export interface ProvenIdentity extends IdentityKey {
  readonly email: string
  /** True if the provider vouches for the address. */
  readonly emailVerified: boolean
  readonly name: string
  /** Undefined when they cannot be read: roles stay as they are. */
  readonly groups: readonly string[] | undefined
  /** Id of the OpenID provider; null: SAML. */
  readonly provider: string | null
  /** The session there; undefined for SAML. */
  readonly session?: { readonly sid: string | null; readonly idToken: string }
  /** When the person last proved a credential there; the epoch if the provider does not say. */
  readonly provenAt: Date
}

export type Effect =
  | { readonly kind: 'sign-in' | 'link' | 'ask'; readonly account: Account }
  | { readonly kind: 'create'; readonly invited: Account | undefined }
  | { readonly kind: 'refuse'; readonly why: 'address' | 'account' }

/** Outcome of a sign-in with the identity; changes nothing. */
export async function effectOf(db: Kysely<Schema>, identity: ProvenIdentity): Promise<Effect> {
  // Before the identity: of an account that another first sign-in makes meanwhile, the identity would be missed.
  const holder = await findAccountByEmail(db, identity.email)
  const known = await findIdentity(db, identity)
  if (known) {
    const account = await getAccount(db, known.user_id)
    return account?.status === 'confirmed' ? { kind: 'sign-in', account } : { kind: 'refuse', why: 'account' }
  }
  if (!holder || holder.status === 'invited') {
    // Whoever claims an address first would otherwise have it.
    return identity.emailVerified ? { kind: 'create', invited: holder } : { kind: 'refuse', why: 'address' }
  }
  // Somebody else may have registered the address, with a password of theirs.
  if (holder.status !== 'confirmed') return { kind: 'refuse', why: 'account' }
  const { trust_addresses: isTrusted } = await findSettings(db)
  const isProven = identity.emailVerified && !holder.isEmailUnproven
  return { kind: isTrusted && isProven ? 'link' : 'ask', account: holder }
}

/**
 * Signs a person in, creating or linking the account as the settings allow.
 * @param browser hash of the browser's cookie
 * @param next path of the console, or ''
 */
export async function completeSignIn(
  deps: SingleSignOnDeps,
  identity: ProvenIdentity,
  { browser, next, origin }: { readonly browser: Buffer; readonly next: string; readonly origin: Origin },
): Promise<Outcome> {
  const joining: Account[] = []
  const signIn = async (db: Kysely<Schema>): Promise<Outcome> => {
    const inner = { ...deps, db }
    const effect = await effectOf(db, identity)
    if (effect.kind === 'refuse') return { kind: 'refused', why: effect.why }
    const found = effect.kind === 'create' ? await create(inner, identity, effect.invited, origin) : effect.account
    // Removals of identities lock the account too.
    const account = found && (await lockAccount(db, found.id))
    if (account?.status !== 'confirmed') throw new Overtaken()
    const session = await keepSession(inner, identity, account, browser)
    if (effect.kind === 'ask') {
      return { kind: 'link', token: await propose(inner, identity, { account, browser, session }), next }
    }
    if (effect.kind === 'sign-in') {
      const { email, groups } = identity
      const known = groups === undefined ? {} : { groups }
      const used = { email, ...known, last_used: new Date(deps.clock.now()) }
      if (!(await touchIdentity(db, identity, account.id, used))) throw new Overtaken()
    } else if (!(await linkIdentity(inner, identity, account, { by: linkedBy(effect), origin }))) throw new Overtaken()
    joining.push(account)
    const finishing = { account, browser, session, provenAt: identity.provenAt }
    return { kind: 'signed-in', token: await exchangeToken(inner, finishing, origin), next }
  }
  const outcome = await untilSettled(() => {
    joining.length = 0
    return deps.db.transaction().execute(signIn)
  })
  for (const account of joining) {
    await joinAll(deps, identity, account)
    await applyGroups(deps, identity, account)
  }
  return outcome
}

/** Something that a sign-in has read has changed since, by another sign-in, a registration or a removal. */
class Overtaken extends Error {}

/** Other sign-ins may take the same address or username, one after the other. */
const TRIES = 8

/** Repeats a transaction that another one has overtaken: what it comes to is decided anew. */
async function untilSettled<T>(run: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await run()
    } catch (error) {
      if (tried === TRIES || !(error instanceof Overtaken || isTakenName(error))) throw error
    }
  }
}

/**
 * Makes somebody a member where a namespace's own provider has prepared it. Only an address that is vouched for accepts
 * anything. A transaction of its own: namespaces are locked before accounts.
 */
async function joinAll(deps: SingleSignOnDeps, identity: ProvenIdentity, { id, email }: Account): Promise<void> {
  if (!deps.joins || !identity.emailVerified || identity.email !== email) return
  const joined = await deps.db.transaction().execute((db) => joinProvisioned({ ...deps, db }, id, email))
  for (const tenant of joined) await emitMember(deps.db, deps.contextOf(tenant), id, 'member.changed')
}

function linkedBy(effect: Effect): KnownLink {
  if (effect.kind !== 'create') return 'address'
  return effect.invited ? 'invitation' : 'sign-in'
}

export type LinkDeps = Pick<SingleSignOnDeps, 'db' | 'clock' | 'mails'>

export type GroupDeps = Pick<SingleSignOnDeps, 'db' | 'clock' | 'contextOf' | 'joins'>

/**
 * Gives and takes the roles of the groups that a provider has named, unless the identity is removed meanwhile. As
 * {@link joinAll}, a transaction of its own.
 */
export async function applyGroups(
  deps: GroupDeps,
  { provider, groups, ...identity }: IdentityKey & Pick<ProvenIdentity, 'provider' | 'groups'>,
  account: Account,
): Promise<void> {
  if (!deps.joins || groups === undefined) return
  const changed = await deps.db.transaction().execute(async (db) => {
    const given = await rolesOfGroups(db, provider, groups)
    // Namespaces before accounts, and accounts before identities, as sign-ins and removals lock them.
    await lockGiven(db, account.id, given)
    await lockAccount(db, account.id)
    if (!(await holdsIdentity(db, identity, account.id))) return []
    return followGroups({ ...deps, db }, account, given)
  })
  await tellRoles(deps, account, changed)
}

/** Tells the namespaces what groups have changed, after the transaction. */
export async function tellRoles(
  deps: Pick<GroupDeps, 'db' | 'contextOf'>,
  account: Pick<Account, 'id'>,
  changed: readonly PlannedRole[],
): Promise<void> {
  for (const { tenant, outcome } of changed) {
    const ctx = deps.contextOf(tenant)
    if (outcome === 'remove') ctx.emit({ type: 'member.removed', id: account.id })
    else await emitMember(deps.db, ctx, account.id, outcome === 'add' ? 'member.added' : 'member.changed')
  }
}

/**
 * Links an identity to an account, and tells its owner.
 * @param deps.db in a transaction
 * @returns false when it belongs to an account already
 */
export async function linkIdentity(
  { db, clock, mails }: LinkDeps,
  identity: IdentityKey & Pick<ProvenIdentity, 'email' | 'groups'>,
  account: Account,
  { by, origin }: { readonly by: KnownLink; readonly origin: Origin },
): Promise<boolean> {
  // Removals lock the account before its identities too.
  await lockAccount(db, account.id)
  const now = clock.now()
  const { kind, issuer, subject, email, groups } = identity
  const at = new Date(now)
  const row = { kind, issuer, subject, email, groups: groups ?? [], user_id: account.id, created_at: at, last_used: at }
  if (!(await insertIdentity(db, { ...row, linked_by: by }))) return false
  await useProvider(db, account.id, kind)
  await noteAccountEvent(db, now, {
    user: account.id,
    kind: 'identity.link',
    origin,
    details: { kind, issuer, subject, by },
  })
  await addNotice(db, { mails, clock }, account, { event: 'identity-linked', subject: `${email} at ${issuer}`, origin })
  return true
}

async function create(
  deps: SingleSignOnDeps,
  identity: ProvenIdentity,
  invited: Account | undefined,
  origin: Origin,
): Promise<Account | undefined> {
  const given = [identity.name, identity.email.split('@')[0] ?? '', identity.email].map((text) =>
    text.trim().slice(0, LIMITS.name.max),
  )
  const name = given.map((text) => PersonName.safeParse(text).data).find((text) => text !== undefined) ?? 'User'
  return createProviderAccount(
    deps.db,
    { ids: deps.ids, clock: deps.clock, origin },
    {
      name,
      email: identity.email,
      kind: identity.kind,
      invited,
    },
  )
}

async function propose(
  { db, ids, clock }: SingleSignOnDeps,
  { kind, issuer, subject, email, groups = [], provider }: ProvenIdentity,
  { account, browser, session }: Finishing,
): Promise<string> {
  const token = ids.secret(32)
  await insertProposal(db, {
    token_hash: hashOf(token),
    browser_hash: browser,
    kind,
    issuer,
    subject,
    email,
    groups,
    provider_id: provider,
    provider_session: session,
    user_id: account.id,
    expires_at: new Date(clock.now() + LIMITS.identityProposalMinutes * 60_000),
  })
  return token
}

/** What finishes in the browser that began. */
interface Finishing {
  readonly account: Account
  /** Hash of the browser's cookie. */
  readonly browser: Buffer
  /** Session at the provider; null for SAML. */
  readonly session: string | null
}

/** Keeps the session at the provider, which can end it. @returns its id; null for SAML */
async function keepSession(
  { db, ids, clock, secretKey }: SingleSignOnDeps,
  { provider, subject, session }: ProvenIdentity,
  account: Account,
  browser: Buffer,
): Promise<string | null> {
  if (provider === null || !session) return null
  const id = ids.uuid()
  const isShort = session.idToken.length <= MAX_HINT
  await insertProviderSession(db, {
    id,
    provider_id: provider,
    user_id: account.id,
    subject,
    sid: session.sid,
    browser_hash: browser,
    sealed: isShort ? secretKey.seal(sessionSeal(id), Buffer.from(session.idToken)) : null,
    created_at: new Date(clock.now()),
  })
  return id
}

/** Binds an ID token to its session: that of another one does not open. */
export function sessionSeal(id: string): string {
  return `provider-session/${id}`
}

async function exchangeToken(
  { db, ids, clock }: SingleSignOnDeps,
  { account, browser, session, provenAt }: Finishing & Pick<ProvenIdentity, 'provenAt'>,
  origin: Origin,
): Promise<string> {
  const token = `exchange_${ids.secret(32)}`
  await insertExchange(db, {
    token_hash: hashOf(token),
    browser_hash: browser,
    user_id: account.id,
    token_epoch: account.tokenEpoch,
    network: networkKey(origin.source),
    provider_session: session,
    // A provider's clock that runs ahead proves nothing for longer.
    proven_at: new Date(Math.min(provenAt.getTime(), clock.now())),
    expires_at: new Date(clock.now() + LIMITS.exchangeTokenSeconds * 1_000),
  })
  return token
}

/** The address in the form that accounts have it; undefined when it is none. */
export function readEmail(text: string | undefined): string | undefined {
  return Email.safeParse(text?.trim().toLowerCase()).data
}
