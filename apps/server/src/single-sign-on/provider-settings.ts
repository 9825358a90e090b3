// The SAML identity provider of the settings: given by its metadata, by their address, or by hand.
import type { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import type { Input } from '@bowline/contract/operation'
import { fail } from '@bowline/contract/errors'
import type { Updateable } from 'kysely'
import type { SignInSettingsTable } from '../db/tables/single-sign-on-tables.ts'
import { FetchRefused, guardedFetch } from '../platform/network/guarded-fetch.ts'
import type { SingleSignOnDeps } from './deps.ts'
import { setGroupRoles } from './group-roles.ts'
import { type IdentityProvider, METADATA_CHARACTERS, readCertificate, readMetadata } from './saml/metadata.ts'
import { XmlRefused } from './saml/xml-tree.ts'
import { type SettingsRow, findSettings, lockSettings, updateSettings } from './store.ts'

const METADATA_TIMEOUT_MS = 10_000
const DAY_MS = 86_400_000

type Body = Input<typeof singleSignOn.setProvider>['body']

/**
 * Sets the identity provider. With another one, or with none of its certificates so far, SAML is off until a test.
 * @throws {BowlineError} INVALID_INPUT, IDENTITY_PROVIDER_FAILED
 */
export async function setProvider(deps: SingleSignOnDeps, body: Body): Promise<void> {
  const provider = await wantedProvider(deps, body)
  await deps.db.transaction().execute(async (db) => {
    const before = await lockSettings(db)
    await updateSettings(db, {
      ...(body.email_attribute === undefined ? {} : { email_attribute: body.email_attribute }),
      ...(body.name_attribute === undefined ? {} : { name_attribute: body.name_attribute }),
      ...(body.group_attribute === undefined ? {} : { group_attribute: body.group_attribute }),
      ...(body.sign_requests === undefined ? {} : { sign_requests: body.sign_requests }),
      ...(body.unsolicited === undefined ? {} : { unsolicited: body.unsolicited }),
      ...(provider ? changed(deps.clock.now(), before, provider, body.metadata_url ?? '') : {}),
    })
    if (body.roles) await setGroupRoles(db, null, body.roles)
  })
}

/** Sets the identity provider by hand. @throws {BowlineError} INVALID_INPUT */
export async function storeProvider(deps: Pick<SingleSignOnDeps, 'db'>, provider: IdentityProvider): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await updateSettings(db, changed(0, await lockSettings(db), provider, ''))
  })
}

function changed(
  now: number,
  before: SettingsRow,
  provider: IdentityProvider,
  metadataUrl: string,
): Updateable<SignInSettingsTable> {
  // One certificate that is known is enough: providers announce a new key beside the old one.
  const isSame =
    before.entity_id === provider.entityId &&
    before.signon_url === provider.signonUrl &&
    provider.certificates.some((certificate) => before.certificates.includes(certificate))
  if (!isSame && before.saml && !before.local) {
    fail('INVALID_INPUT', { field: 'metadata', rule: 'must stay while passwords are off: switch them on first' }, [
      'metadata',
    ])
  }
  return {
    entity_id: provider.entityId,
    signon_url: provider.signonUrl,
    certificates: [...provider.certificates],
    metadata_url: metadataUrl,
    metadata_checked_at: metadataUrl === '' ? null : new Date(now),
    metadata_failure: '',
    ...(isSame ? {} : { saml: false, tested_at: null }),
  }
}

/** @returns undefined when the call names none */
async function wantedProvider(deps: SingleSignOnDeps, body: Body): Promise<IdentityProvider | undefined> {
  const { metadata, metadata_url: url, entity_id: entityId, signon_url: signonUrl, certificates } = body
  const byHand = [entityId, signonUrl, certificates].filter((value) => value !== undefined).length
  const ways = [metadata !== undefined, url !== undefined, byHand > 0].filter(Boolean).length
  if (ways === 0) return undefined
  if (ways > 1) refuse('metadata', 'must not be sent with another description of the provider')
  try {
    if (metadata !== undefined) return readMetadata(metadata)
    if (url !== undefined) return readMetadata(await fetchMetadata(deps, url))
  } catch (error) {
    if (error instanceof XmlRefused)
      refuse(url === undefined ? 'metadata' : 'metadata_url', `is refused: ${error.message}`)
    if (error instanceof FetchRefused) return fail('IDENTITY_PROVIDER_FAILED', { reason: error.message })
    throw error
  }
  if (entityId === undefined || signonUrl === undefined || certificates === undefined) {
    return refuse('entity_id', 'is needed with signon_url and certificates')
  }
  if (!URL.canParse(signonUrl)) refuse('signon_url', 'must be an http or https address')
  const read = certificates.map(
    (text) => readCertificate(text) ?? refuse('certificates', 'must be X.509 certificates of RSA keys'),
  )
  return { entityId, signonUrl, certificates: [...new Set(read)] }
}

function refuse(field: string, rule: string): never {
  return fail('INVALID_INPUT', { field, rule }, [field])
}

async function fetchMetadata(deps: Pick<SingleSignOnDeps, 'egress'>, url: string): Promise<string> {
  const limits = { maxBytes: METADATA_CHARACTERS, timeoutMs: METADATA_TIMEOUT_MS }
  const response = await guardedFetch(url, deps.egress, {
    ...limits,
    headers: { accept: 'application/samlmetadata+xml, */*' },
  })
  if (response.status !== 200) throw new FetchRefused(`it answers ${response.status}`)
  return response.text()
}

/**
 * Fetches the metadata again, once a day. The last good ones stay when that fails, or when they describe another
 * provider. Certificates may change: that is how providers announce a new key.
 */
export async function refreshMetadata(deps: Pick<SingleSignOnDeps, 'db' | 'clock' | 'egress' | 'log'>): Promise<void> {
  const now = deps.clock.now()
  const { metadata_url: url, metadata_checked_at: checked, entity_id: entityId } = await findSettings(deps.db)
  if (url === '' || (checked && now - checked.getTime() < DAY_MS)) return
  const attempt = await fetchMetadata(deps, url).then(
    (xml) => judge(xml, entityId),
    (error: unknown) => failureOf(error),
  )
  await deps.db.transaction().execute(async (db) => {
    // An administrator may have set another one meanwhile.
    if ((await lockSettings(db)).metadata_url !== url) return
    await updateSettings(db, { ...attempt, metadata_checked_at: new Date(now) })
  })
  if (attempt.metadata_failure !== '') deps.log.warn('saml.metadata-failed', { reason: attempt.metadata_failure })
}

type Attempt = Updateable<SignInSettingsTable> & { readonly metadata_failure: string }

function judge(xml: string, entityId: string): Attempt {
  try {
    const provider = readMetadata(xml)
    if (provider.entityId !== entityId) return { metadata_failure: 'it describes another identity provider' }
    return { certificates: [...provider.certificates], signon_url: provider.signonUrl, metadata_failure: '' }
  } catch (error) {
    return failureOf(error)
  }
}

function failureOf(error: unknown): Attempt {
  if (error instanceof FetchRefused || error instanceof XmlRefused) return { metadata_failure: error.message }
  throw error
}
