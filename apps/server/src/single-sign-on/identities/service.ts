// Linked identities of a person: the list, and the removal of one by its owner or by whoever administers the server.
import { fail } from '@bowline/contract/errors'
import type { UserId } from '@bowline/contract/schemas/common'
import type { LinkedIdentity } from '@bowline/contract/schemas/user'
import type { Kysely } from 'kysely'
import { requireRecentProof } from '../../auth/ownership.ts'
import { endPendingSignIns } from '../../auth/pending-sign-ins.ts'
import type { Origin, UserActor } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { addNotice } from '../../mails/notices.ts'
import { countWaysIn } from '../../passkeys/ways-in.ts'
import { noteAccountEvent } from '../../users/activity.ts'
import { leaveProvider } from '../../users/provider-accounts.ts'
import { type Account, findAccount, findAccountByEmail, getAccount, lockAccount } from '../../users/service.ts'
import { type GivenRoles, followGroups, lockGiven } from '../../members/provided.ts'
import { type GroupDeps, type LinkDeps, tellRoles } from '../accounts.ts'
import { type IdentityRow, findSettings, listProviders } from '../store.ts'
import { deleteExchangesOf, deleteIdentity, listOf } from './store.ts'

/** The identities of an account, the oldest first. @param db system connection */
export async function listIdentities(db: Kysely<Schema>, user: UserId): Promise<LinkedIdentity[]> {
  const names = await providerNames(db)
  return (await listOf(db, user)).map((row) => toIdentity(row, names))
}

/**
 * Removes one of the caller's identities.
 * @throws {BowlineError} FRESH_PROOF_REQUIRED; NOT_FOUND unless it is one of the caller's; ONLY_WAY_IN
 */
export async function removeOwn(deps: RemovalDeps, actor: UserActor, id: string, origin: Origin): Promise<void> {
  // Nobody is asked for a proof in vain.
  if (!(await listOf(deps.db, actor.id)).some((one) => one.id === id)) notFound()
  await requireRecentProof(deps, actor)
  await take(deps, actor.id, id, { by: 'owner', origin }, async (db, account) => {
    if (!(await hasWayIn(db, account))) fail('ONLY_WAY_IN')
  })
}

/**
 * Removes an identity of anybody, for administrators of the server, who can set a password too: no other way in is
 * required.
 * @returns the identity, and whether the account has a way in left
 * @throws {BowlineError} NOT_FOUND
 */
export async function removeOf(
  deps: RemovalDeps,
  user: UserId,
  id: string,
  origin: Origin,
): Promise<{ readonly removed: LinkedIdentity; readonly hasWayIn: boolean }> {
  const names = await providerNames(deps.db)
  return take(deps, user, id, { by: 'administrator', origin }, async (db, account, row) => ({
    removed: toIdentity(row, names),
    hasWayIn: await hasWayIn(db, account),
  }))
}

/**
 * The person whom an administrator names.
 * @param name id, username or address
 * @throws {BowlineError} NOT_FOUND
 */
export async function personNamed(db: Kysely<Schema>, name: string): Promise<Account> {
  // Anybody can register a username that looks like somebody else's address.
  const find = name.includes('@') ? findAccountByEmail : findAccount
  const account = (await getAccount(db, name as UserId)) ?? (await find(db, name))
  return account ?? fail('NOT_FOUND', { what: 'The user' })
}

export type RemovalDeps = LinkDeps & Pick<GroupDeps, 'contextOf'>

interface By {
  readonly by: 'owner' | 'administrator'
  readonly origin: Origin
}

/**
 * Removes an identity with the roles that groups of its provider have given, which no sign-in would take any more.
 * @param then runs in the same transaction
 * @throws {BowlineError} NOT_FOUND
 */
async function take<T>(
  deps: RemovalDeps,
  user: UserId,
  id: string,
  by: By,
  then: (db: Kysely<Schema>, account: Account, row: IdentityRow) => Promise<T>,
): Promise<T> {
  const known = (await listOf(deps.db, user)).find((one) => one.id === id) ?? notFound()
  const provider = await providerOf(deps.db, known)
  const nothing: GivenRoles | undefined = provider === undefined ? undefined : { provider, roles: new Map() }
  const { account, changed, result } = await deps.db.transaction().execute(async (db) => {
    const inner = { ...deps, db }
    // Namespaces are locked before accounts, and accounts before identities.
    if (nothing) await lockGiven(db, user, nothing)
    const owner = await locked(db, user)
    const row = (await deleteIdentity(db, user, id)) ?? notFound()
    await forget(inner, owner, row, by)
    const taken = nothing ? await followGroups(inner, owner, nothing) : []
    return { account: owner, changed: taken, result: await then(db, owner, row) }
  })
  await tellRoles(deps, account, changed)
  return result
}

/** Id of the provider whose groups gave roles with an identity; null: SAML; undefined: one that is not set up any more. */
async function providerOf(db: Kysely<Schema>, { kind, issuer }: IdentityRow): Promise<string | null | undefined> {
  if (kind === 'saml') return null
  return (await listProviders(db)).find((provider) => provider.issuer === issuer)?.id
}

async function forget(deps: LinkDeps, account: Account, row: IdentityRow, { by, origin }: By): Promise<void> {
  const { db, clock } = deps
  const { kind, issuer, subject, email } = row
  const left = await listOf(db, account.id)
  if (!left.some((one) => one.kind === kind)) await leaveProvider(db, account.id, kind)
  await deleteExchangesOf(db, account.id)
  await endPendingSignIns(db, account.id)
  const details = { kind, issuer, subject, by }
  await noteAccountEvent(db, clock.now(), { user: account.id, kind: 'identity.remove', origin, details })
  await addNotice(db, deps, account, { event: 'identity-removed', subject: `${email} at ${issuer}`, origin })
}

/** True if the account can be signed in to: by its password, a passkey, or an identity of a provider that is on. */
async function hasWayIn(db: Kysely<Schema>, account: Account): Promise<boolean> {
  const settings = await findSettings(db)
  if (settings.local) {
    if (account.passwordHash !== undefined && account.authMethods.includes('local')) return true
    if ((await countWaysIn(db, account.id)) > 0) return true
  }
  const issuers = (await listProviders(db)).filter(({ enabled }) => enabled).map(({ issuer }) => issuer)
  return (await listOf(db, account.id)).some(({ kind, issuer }) =>
    kind === 'saml' ? settings.saml && settings.entity_id === issuer : issuers.includes(issuer),
  )
}

/** Names of the OpenID providers by their issuer. */
async function providerNames(db: Kysely<Schema>): Promise<ReadonlyMap<string, string>> {
  return new Map((await listProviders(db)).map(({ issuer, name }) => [issuer, name]))
}

function toIdentity(row: IdentityRow, names: ReadonlyMap<string, string>): LinkedIdentity {
  const { id, kind, issuer, subject, email } = row
  return {
    id,
    kind,
    provider: (kind === 'openid' ? names.get(issuer) : undefined) ?? issuer,
    issuer,
    subject,
    email,
    linked_by: row.linked_by ?? 'unknown',
    linked_at: row.created_at.toISOString(),
    last_used_at: row.last_used.toISOString(),
  }
}

async function locked(db: Kysely<Schema>, user: UserId): Promise<Account> {
  return (await lockAccount(db, user)) ?? fail('NOT_FOUND', { what: 'The user' })
}

const notFound = (): never => fail('NOT_FOUND', { what: 'The identity' })
