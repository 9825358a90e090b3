// OpenID providers as administrators manage them.
import { fail } from '@bowline/contract/errors'
import type { GroupRole, OpenidProvider, openid } from '@bowline/contract/operations/single-sign-on'
import { openidRedirectUrl } from '@bowline/contract/openid-redirect'
import type { Input } from '@bowline/contract/operation'
import { type SingleSignOnDeps, ownAddresses } from '../deps.ts'
import { rolesOfProviders, setGroupRoles } from '../group-roles.ts'
import {
  type OpenidProviderRow,
  deleteProvider,
  findProvider,
  insertProvider,
  listProviders,
  updateProvider,
} from '../store.ts'

type NewProvider = Input<typeof openid.add>['body']
type Changes = Input<typeof openid.update>['body']
type Db = SingleSignOnDeps['db']
type DescribingDeps = Pick<SingleSignOnDeps, 'db' | 'publicOrigin'>
type ProviderDeps = Pick<SingleSignOnDeps, 'db' | 'ids' | 'clock' | 'secretKey' | 'publicOrigin'>

/** The providers, those that are off included. */
export async function describeProviders(deps: DescribingDeps): Promise<OpenidProvider[]> {
  const roles = await rolesOfProviders(deps.db)
  return (await listProviders(deps.db)).map((row) => toProvider(deps, row, roles.of(row.id)))
}

function toProvider(deps: DescribingDeps, row: OpenidProviderRow, roles: GroupRole[]): OpenidProvider {
  const { id, name, issuer, client_id, group_claim, enabled, sign_out } = row
  return { id, name, issuer, redirect_url: redirectUrlOf(deps, row), client_id, group_claim, enabled, sign_out, roles }
}

/** @throws {BowlineError} CONFLICT when the name is taken; INVALID_INPUT for roles of unknown namespaces */
export async function addProvider(deps: ProviderDeps, wanted: NewProvider): Promise<OpenidProvider> {
  const id = deps.ids.uuid()
  const { client_secret: secret, roles, ...rest } = wanted
  const row = { id, ...rest, sealed: sealed(deps, id, secret), created_at: new Date(deps.clock.now()) }
  return deps.db.transaction().execute(async (db) => {
    await insertProvider(db, row)
    await setGroupRoles(db, id, roles)
    return toProvider(deps, row, (await rolesOfProviders(db)).of(id))
  })
}

/**
 * @param keep refuses the change, inside its transaction, if it must not happen
 * @throws {BowlineError} NOT_FOUND, CONFLICT, INVALID_INPUT
 */
export function changeProvider(
  deps: ProviderDeps,
  id: string,
  changes: Changes,
  keep: (db: Db) => Promise<void>,
): Promise<OpenidProvider> {
  const { client_secret: secret, ...rest } = changes
  return deps.db.transaction().execute(async (db) => {
    const before = (await findProvider(db, id)) ?? fail('NOT_FOUND', { what: 'The provider' })
    const values = {
      name: rest.name ?? before.name,
      client_id: rest.client_id ?? before.client_id,
      group_claim: rest.group_claim ?? before.group_claim,
      enabled: rest.enabled ?? before.enabled,
      sign_out: rest.sign_out ?? before.sign_out,
      ...(secret === undefined ? {} : { sealed: sealed(deps, id, secret) }),
    }
    const row = (await updateProvider(db, id, values)) ?? fail('NOT_FOUND', { what: 'The provider' })
    if (rest.roles) await setGroupRoles(db, id, rest.roles)
    await keep(db)
    return toProvider(deps, row, (await rolesOfProviders(db)).of(id))
  })
}

/** @param keep as in {@link changeProvider} @throws {BowlineError} NOT_FOUND */
export async function removeProvider({ db }: ProviderDeps, id: string, keep: (db: Db) => Promise<void>): Promise<void> {
  await db.transaction().execute(async (inner) => {
    if (!(await deleteProvider(inner, id))) fail('NOT_FOUND', { what: 'The provider' })
    await keep(inner)
  })
}

/** Redirect address of a provider. */
export function redirectUrlOf(
  deps: Pick<SingleSignOnDeps, 'publicOrigin'>,
  { issuer }: Pick<OpenidProviderRow, 'issuer'>,
): string {
  return openidRedirectUrl(ownAddresses(deps).openidRedirectUrl, issuer)
}

/** The client secret of a provider. */
export function openSecret({ secretKey }: Pick<ProviderDeps, 'secretKey'>, row: OpenidProviderRow): string {
  return secretKey.open(sealName(row.id), row.sealed).toString()
}

function sealed({ secretKey }: ProviderDeps, id: string, secret: string): Buffer {
  return secretKey.seal(sealName(id), Buffer.from(secret))
}

/** Binds the secret to its provider: another row's does not open. */
function sealName(id: string): string {
  return `openid-secret/${id}`
}
