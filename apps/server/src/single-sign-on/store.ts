// SQL of single sign-on: settings, keys, providers, requests under way, identities and one-use tokens. System rows.
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type {
  ExchangeTokensTable,
  IdentitiesTable,
  IdentityProposalsTable,
  OpenidProvidersTable,
  ProviderRequestsTable,
  SamlKeysTable,
  SignInSettingsTable,
} from '../db/tables/single-sign-on-tables.ts'

type Db = Kysely<Schema>
export type SettingsRow = Selectable<SignInSettingsTable>
export type SamlKeyRow = Selectable<SamlKeysTable>
export type OpenidProviderRow = Selectable<OpenidProvidersTable>
export type ProviderRequestRow = Selectable<ProviderRequestsTable>
export type IdentityRow = Selectable<IdentitiesTable>
export type IdentityProposalRow = Selectable<IdentityProposalsTable>
export type ExchangeTokenRow = Selectable<ExchangeTokensTable>

export function findSettings(db: Db): Promise<SettingsRow> {
  return db.selectFrom('sign_in_settings').selectAll().executeTakeFirstOrThrow()
}

/** Locks the settings until the transaction ends: two changes must not each switch off what the other relies on. */
export function lockSettings(db: Db): Promise<SettingsRow> {
  return db.selectFrom('sign_in_settings').selectAll().forUpdate().executeTakeFirstOrThrow()
}

export async function updateSettings(db: Db, values: Updateable<SignInSettingsTable>): Promise<void> {
  if (Object.keys(values).length > 0) await db.updateTable('sign_in_settings').set(values).execute()
}

/** Our keys, the newest first. */
export function listKeys(db: Db): Promise<SamlKeyRow[]> {
  return db.selectFrom('saml_keys').selectAll().orderBy('created_at', 'desc').orderBy('id').execute()
}

export async function insertKey(db: Db, key: Insertable<SamlKeysTable>): Promise<void> {
  await db.insertInto('saml_keys').values(key).execute()
}

export async function deleteKeysExcept(db: Db, id: string): Promise<void> {
  await db.deleteFrom('saml_keys').where('id', '<>', id).execute()
}

export function listProviders(db: Db): Promise<OpenidProviderRow[]> {
  return db.selectFrom('openid_providers').selectAll().orderBy('name').execute()
}

export function findProvider(db: Db, id: string): Promise<OpenidProviderRow | undefined> {
  return db.selectFrom('openid_providers').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertProvider(db: Db, provider: Insertable<OpenidProvidersTable>): Promise<void> {
  await db.insertInto('openid_providers').values(provider).execute()
}

/** @returns undefined when there is none */
export function updateProvider(
  db: Db,
  id: string,
  values: Updateable<OpenidProvidersTable>,
): Promise<OpenidProviderRow | undefined> {
  return db.updateTable('openid_providers').set(values).where('id', '=', id).returningAll().executeTakeFirst()
}

/** @returns false when there is none */
export async function deleteProvider(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('openid_providers').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n
}

export async function insertRequest(db: Db, request: Insertable<ProviderRequestsTable>): Promise<void> {
  await db.insertInto('provider_requests').values(request).execute()
}

/** Notes where the request was begun that a browser has just begun. */
export async function placeRequest(db: Db, browserHash: Buffer, source: string): Promise<void> {
  await db
    .updateTable('provider_requests')
    .set({ source })
    .where('browser_hash', '=', browserHash)
    .where('source', 'is', null)
    .execute()
}

/** Takes a request of a browser: of concurrent answers only one gets it. */
export function takeRequest(
  db: Db,
  by: { readonly idHash: Buffer; readonly browserHash: Buffer; readonly now: Date },
): Promise<ProviderRequestRow | undefined> {
  return db
    .deleteFrom('provider_requests')
    .where('id_hash', '=', by.idHash)
    .where('browser_hash', '=', by.browserHash)
    .where('expires_at', '>', by.now)
    .returningAll()
    .executeTakeFirst()
}

/** @returns false when the assertion was used before */
export async function insertUsedAssertion(db: Db, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const result = await db
    .insertInto('used_assertions')
    .values({ hash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export type IdentityKey = Pick<IdentityRow, 'kind' | 'issuer' | 'subject'>

export function findIdentity(db: Db, { kind, issuer, subject }: IdentityKey): Promise<IdentityRow | undefined> {
  return db
    .selectFrom('identities')
    .selectAll()
    .where('kind', '=', kind)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

/** Links an identity. @returns false when it belongs to an account already */
export async function insertIdentity(db: Db, identity: Insertable<IdentitiesTable>): Promise<boolean> {
  const result = await db
    .insertInto('identities')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['kind', 'issuer', 'subject']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Notes a use of an account's identity. @returns false when the account does not have it any more */
export async function touchIdentity(
  db: Db,
  { kind, issuer, subject }: IdentityKey,
  user: UserId,
  values: Pick<IdentityRow, 'email' | 'last_used'> & Partial<Pick<IdentityRow, 'groups'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('identities')
    .set(values)
    .where('kind', '=', kind)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('user_id', '=', user)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Whether an account has an identity of a provider; it keeps that until the transaction ends. */
export async function holdsIdentity(db: Db, { kind, issuer, subject }: IdentityKey, user: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('identities')
    .select('id')
    .where('kind', '=', kind)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('user_id', '=', user)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

export async function insertProposal(db: Db, proposal: Insertable<IdentityProposalsTable>): Promise<void> {
  await db.insertInto('identity_proposals').values(proposal).execute()
}

export interface TokenOfBrowser {
  readonly tokenHash: Buffer
  /** Undefined: any browser. */
  readonly browserHash: Buffer | undefined
  readonly now: Date
}

export function findProposal(db: Db, by: TokenOfBrowser): Promise<IdentityProposalRow | undefined> {
  return db
    .selectFrom('identity_proposals')
    .selectAll()
    .where('token_hash', '=', by.tokenHash)
    .$if(by.browserHash !== undefined, (query) => query.where('browser_hash', '=', by.browserHash ?? Buffer.of()))
    .where('expires_at', '>', by.now)
    .executeTakeFirst()
}

/** @returns false when another call has taken it */
export async function deleteProposal(db: Db, tokenHash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('identity_proposals')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Adds a one-use token; the oldest ones of the account that nobody has used make room. */
export async function insertExchange(db: Db, token: Insertable<ExchangeTokensTable>): Promise<void> {
  const unused = db
    .selectFrom('exchange_tokens')
    .select('token_hash')
    .where('user_id', '=', token.user_id)
    .orderBy('expires_at', 'desc')
    .orderBy('token_hash')
    .offset(LIMITS.unfinishedProviderSignIns - 1)
  await db.deleteFrom('exchange_tokens').where('token_hash', 'in', unused).execute()
  await db.insertInto('exchange_tokens').values(token).execute()
}

/** Takes a one-use token: of concurrent calls only one gets it. */
export function takeExchange(
  db: Db,
  by: TokenOfBrowser,
): Promise<Omit<ExchangeTokenRow, 'token_hash' | 'expires_at'> | undefined> {
  return db
    .deleteFrom('exchange_tokens')
    .where('token_hash', '=', by.tokenHash)
    .$if(by.browserHash !== undefined, (query) => query.where('browser_hash', '=', by.browserHash ?? Buffer.of()))
    .where('expires_at', '>', by.now)
    .returning(['user_id', 'token_epoch', 'browser_hash', 'network', 'provider_session', 'proven_at'])
    .executeTakeFirst()
}

/** Removes what has expired. */
export async function deleteExpired(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('provider_requests').where('expires_at', '<', now).execute()
  await db.deleteFrom('used_assertions').where('expires_at', '<', now).execute()
  await db.deleteFrom('identity_proposals').where('expires_at', '<', now).execute()
  await db.deleteFrom('exchange_tokens').where('expires_at', '<', now).execute()
}
