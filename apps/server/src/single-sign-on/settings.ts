// Sign-in settings of the server, as administrators see and change them.
import { fail } from '@bowline/contract/errors'
import type { SignInSettings, singleSignOn } from '@bowline/contract/operations/single-sign-on'
import type { Info } from '@bowline/contract/operations/instance'
import type { Input } from '@bowline/contract/operation'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { noteAccountEvent } from '../users/activity.ts'
import { describeCertificate } from './certificates.ts'
import { type SingleSignOnDeps, ownAddresses } from './deps.ts'
import { rolesOfProviders } from './group-roles.ts'
import { describeProviders } from './openid/providers.ts'
import { ownKeys } from './saml/keys.ts'
import { deleteExpired, findSettings, listProviders, lockSettings, updateSettings } from './store.ts'

type Switches = Input<typeof singleSignOn.update>['body']

/** Ways to sign in, as everybody may know them. @param db system connection */
export async function signInMethods(db: Kysely<Schema>): Promise<Omit<Info['authentication'], 'passkeys'>> {
  const { local, saml } = await findSettings(db)
  const openid = (await listProviders(db)).filter(({ enabled }) => enabled).map(({ id, name }) => ({ id, name }))
  return { local, saml, openid }
}

/** True if passwords of this server are accepted. @param db system connection */
export async function isLocalSignInOn(db: Kysely<Schema>): Promise<boolean> {
  return (await findSettings(db)).local
}

export async function describeSettings(deps: SingleSignOnDeps): Promise<SignInSettings> {
  const row = await findSettings(deps.db)
  const { entityId, consumerUrl, metadataUrl, openidRedirectUrl } = ownAddresses(deps)
  return {
    local: row.local,
    saml: row.saml,
    trust_addresses: row.trust_addresses,
    provider_second_factor: row.provider_second_factor,
    provider: {
      entity_id: row.entity_id,
      signon_url: row.signon_url,
      certificates: row.certificates.map((certificate) => describeCertificate(certificate)),
      metadata_url: row.metadata_url,
      metadata_checked_at: row.metadata_checked_at?.toISOString() ?? null,
      metadata_failure: row.metadata_failure,
      email_attribute: row.email_attribute,
      name_attribute: row.name_attribute,
      group_attribute: row.group_attribute,
      roles: (await rolesOfProviders(deps.db)).of(null),
      sign_requests: row.sign_requests,
      unsolicited: row.unsolicited,
      tested_at: row.tested_at?.toISOString() ?? null,
    },
    own: {
      entity_id: entityId,
      assertion_url: consumerUrl,
      metadata_url: metadataUrl,
      openid_redirect_url: openidRedirectUrl,
      certificates: (await ownKeys(deps)).map(({ certificate }) => describeCertificate(certificate)),
    },
    openid: await describeProviders(deps),
  }
}

/**
 * Switches ways to sign in.
 * @throws {BowlineError} INVALID_INPUT when none would be left, or SAML was not tested
 */
export async function updateSwitches(deps: Pick<SingleSignOnDeps, 'db'>, wanted: Switches): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const row = await lockSettings(db)
    const { local = row.local, saml = row.saml } = wanted
    if (saml && row.tested_at === null) refuse('saml', 'can be switched on after a successful test only')
    if (!local && !saml && !(await listProviders(db)).some(({ enabled }) => enabled)) {
      refuse(wanted.local === false ? 'local' : 'saml', 'must stay on: nobody could sign in')
    }
    const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
    await updateSettings(db, Object.fromEntries(given))
  })
}

/**
 * Refuses the loss of a provider that is the last way to sign in.
 * @param db inside the caller's transaction, after the change
 * @throws {BowlineError} INVALID_INPUT
 */
export async function requireWayToSignIn(db: Kysely<Schema>): Promise<void> {
  const { local, saml } = await lockSettings(db)
  if (local || saml || (await listProviders(db)).some(({ enabled }) => enabled)) return
  refuse('enabled', 'must stay on: nobody could sign in')
}

/** Removes requests, one-use tokens and used assertions that have expired. @param now milliseconds since the epoch */
export function forgetExpiredSignOns(db: Kysely<Schema>, now: number): Promise<void> {
  return deleteExpired(db, new Date(now))
}

/** Records who changed how people sign in. */
export function noteSettingsChange(
  { db, clock }: Pick<SingleSignOnDeps, 'db' | 'clock'>,
  user: UserId,
  origin: Origin,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  return noteAccountEvent(db, clock.now(), { user, kind: 'sign-in-settings.change', origin, details })
}

function refuse(field: string, rule: string): never {
  return fail('INVALID_INPUT', { field, rule }, [field])
}
