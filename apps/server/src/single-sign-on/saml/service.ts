// Sign-in by SAML: the request to the identity provider and the answer that a browser brings back.
import { createHash } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Origin } from '../../context.ts'
import { hashOf } from '../../platform/secrets/hash.ts'
import { type ProvenIdentity, completeSignIn, readEmail } from '../accounts.ts'
import { ownPath } from '../browser.ts'
import { type SingleSignOnDeps, ownAddresses } from '../deps.ts'
import type { Outcome } from '../outcome.ts'
import {
  type ProviderRequestRow,
  type SettingsRow,
  findSettings,
  insertRequest,
  insertUsedAssertion,
  takeRequest,
  updateSettings,
} from '../store.ts'
import { MAX_VALUES, type ProvenPerson } from './assertion.ts'
import { ownKeys } from './keys.ts'
import { toPem } from './metadata.ts'
import { requestAddress } from './request.ts'
import { decodeMessage } from './xml-guard.ts'
import { XmlRefused } from './xml-tree.ts'

/**
 * Begins a sign-in, or an administrator's test, which works while SAML is off.
 * @param browser hash of the browser's cookie
 * @param fresh asks the provider to authenticate the person, whatever session is there (ForceAuthn, SAML core 3.4.1)
 * @returns address of the identity provider
 * @throws {BowlineError} SAML_DISABLED
 */
export async function startSaml(
  deps: SingleSignOnDeps,
  {
    browser,
    next,
    tester,
    fresh = false,
  }: { readonly browser: Buffer; readonly next?: string; readonly tester?: UserId; readonly fresh?: boolean },
): Promise<string> {
  const settings = await findSettings(deps.db)
  if (settings.entity_id === '' || (!settings.saml && tester === undefined)) fail('SAML_DISABLED')
  const id = `_${deps.ids.secret(24)}`
  await insertRequest(deps.db, {
    id_hash: hashOf(id),
    browser_hash: browser,
    provider_id: null,
    return_to: ownPath(next),
    sealed: null,
    tester: tester ?? null,
    expires_at: new Date(deps.clock.now() + LIMITS.providerRequestMinutes * 60_000),
  })
  const { entityId, consumerUrl } = ownAddresses(deps)
  return requestAddress({
    id,
    entityId,
    consumerUrl,
    signonUrl: settings.signon_url,
    certificates: settings.certificates,
    signingKey: settings.sign_requests ? (await ownKeys(deps)).at(-1)?.privateKey : undefined,
    forceSignIn: fresh || tester !== undefined,
  })
}

/** An answer as the browser posts it. */
export interface PostedAnswer {
  /** Form fields SAMLResponse and RelayState. */
  readonly response: string
  readonly relayState: string | undefined
  /** Hash of the browser's cookie; undefined when it has none. */
  readonly browser: Buffer | undefined
  /** Marks a browser that the provider sent here on its own. */
  readonly markBrowser: () => Buffer
  readonly origin: Origin
  /** Aborted when the browser's request closes. */
  readonly closed: AbortSignal
}

/** Judges an answer and signs in whom it names. The reason of a refusal is logged and shown to nobody else. */
export async function consumeAnswer(deps: SingleSignOnDeps, answer: PostedAnswer): Promise<Outcome> {
  let request: ProviderRequestRow | undefined
  const { source } = answer.origin
  try {
    const settings = await findSettings(deps.db)
    // Reading a message costs much more than asking whether it is expected: each reading takes a request.
    const claimed = claimedRequest(answer.response)
    request = await requestOf(deps, claimed, answer.browser)
    if (!request && !(settings.saml && settings.unsolicited)) throw new RequestUnknown('it answers no request')
    requireExpected(settings, claimed, request)
    const person = await readAnswer(deps, settings, {
      field: answer.response,
      inResponseTo: claimed,
      source,
      closed: answer.closed,
    })
    await useOnce(deps, settings, person)
    if (request?.tester) return await noteTest(deps, settings, person)
    return await signIn(deps, settings, person, { answer, request })
  } catch (error) {
    if (!(error instanceof XmlRefused)) throw error
    deps.log.warn('saml.refused', { reason: error.message, source })
    if (request?.tester) return { kind: 'tested', passed: false }
    return { kind: 'refused', why: error instanceof RequestUnknown ? 'request' : 'answer' }
  }
}

/**
 * Verifies a message and reads its assertion.
 * @param message.inResponseTo id of the request that it seems to answer, by {@link claimedRequest}
 * @throws {XmlRefused}; {BowlineError} TOO_MANY_REQUESTS when too many messages wait
 */
export async function readAnswer(
  deps: SingleSignOnDeps,
  settings: SettingsRow,
  {
    source,
    closed,
    ...message
  }: {
    readonly field: string
    readonly inResponseTo: string | undefined
    readonly source: string
    readonly closed?: AbortSignal
  },
): Promise<ProvenPerson> {
  const { entityId, consumerUrl } = ownAddresses(deps)
  const rules = {
    issuer: settings.entity_id,
    audience: entityId,
    recipient: consumerUrl,
    now: deps.clock.now(),
    certificates: settings.certificates.map((certificate) => toPem(certificate)),
    decryptionKeys: (await ownKeys(deps)).map(({ privateKey }) => privateKey),
  }
  return deps.samlReader.read({ ...message, rules }, source, closed)
}

/** The identity that the mappings find in an assertion, or the mapped attributes that it lacks. */
export function identityOf(
  settings: SettingsRow,
  { nameId, attributes, authenticatedAt }: ProvenPerson,
): ProvenIdentity | { readonly missing: readonly string[] } {
  const names = [settings.email_attribute.toLowerCase(), settings.name_attribute.toLowerCase()] as const
  const email = readEmail(attributes.get(names[0])?.[0])
  const name = attributes.get(names[1])?.[0] ?? ''
  if (email === undefined || name === '') {
    return { missing: [...(email === undefined ? [names[0]] : []), ...(name === '' ? [names[1]] : [])] }
  }
  const subject = { kind: 'saml', issuer: settings.entity_id, subject: nameId } as const
  const groups = groupsOf(settings.group_attribute.toLowerCase(), attributes)
  const provenAt = new Date(authenticatedAt)
  return { ...subject, email, emailVerified: true, name, groups, provider: null, provenAt }
}

/** True if an answer has the attribute of groups at all. */
export function hasGroups({ group_attribute: name }: SettingsRow, { attributes }: ProvenPerson): boolean {
  return attributes.has(name.toLowerCase())
}

/**
 * Groups of a person; undefined when the provider has more than it sends, so that nothing may follow from their absence.
 * Microsoft Entra ID sends a link to the groups instead. An attribute that is missing means no groups: Entra ID, Okta and
 * Google leave it out for people whom no group names, so that leaving the last group would otherwise take no role.
 */
function groupsOf(name: string, attributes: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const groups = attributes.get(name)
  const isElsewhere = groups === undefined && [...attributes.keys()].some((key) => key.endsWith('/groups.link'))
  return isElsewhere || (groups?.length ?? 0) >= MAX_VALUES ? undefined : (groups ?? [])
}

/** The answer belongs to no request of this browser. */
class RequestUnknown extends XmlRefused {}

/** Id of the request that a message seems to answer, before it is read. @throws {XmlRefused} */
export function claimedRequest(response: string): string | undefined {
  return /\sInResponseTo=(["'])([^"'<>&]{1,256})\1/.exec(decodeMessage(response))?.[2]
}

async function requestOf(deps: SingleSignOnDeps, inResponseTo: string | undefined, browser: Buffer | undefined) {
  if (inResponseTo === undefined || browser === undefined) return undefined
  return takeRequest(deps.db, {
    idHash: hashOf(inResponseTo),
    browserHash: browser,
    now: new Date(deps.clock.now()),
  })
}

function requireExpected(
  settings: SettingsRow,
  inResponseTo: string | undefined,
  request: ProviderRequestRow | undefined,
): void {
  if (settings.entity_id === '' || (!settings.saml && !request?.tester)) throw new XmlRefused('SAML is off')
  const isAnswer = request !== undefined && request.provider_id === null
  const isAllowed = inResponseTo === undefined ? settings.unsolicited : isAnswer
  if (!isAllowed) throw new RequestUnknown('it answers no request of this browser')
}

async function useOnce(deps: SingleSignOnDeps, settings: SettingsRow, person: ProvenPerson): Promise<void> {
  const hash = createHash('sha256').update(`${settings.entity_id}\n${person.assertionId}`).digest()
  const isFirst = await insertUsedAssertion(deps.db, hash, new Date(person.expiresAt))
  if (!isFirst) throw new XmlRefused('its assertion was used before')
}

async function noteTest(deps: SingleSignOnDeps, settings: SettingsRow, person: ProvenPerson): Promise<Outcome> {
  const passed = !('missing' in identityOf(settings, person))
  if (passed) await updateSettings(deps.db, { tested_at: new Date(deps.clock.now()) })
  return { kind: 'tested', passed }
}

function signIn(
  deps: SingleSignOnDeps,
  settings: SettingsRow,
  person: ProvenPerson,
  { answer, request }: { readonly answer: PostedAnswer; readonly request: ProviderRequestRow | undefined },
): Promise<Outcome> {
  const identity = identityOf(settings, person)
  if ('missing' in identity) return Promise.resolve({ kind: 'missing', attributes: identity.missing })
  const next = request ? request.return_to : ownPath(answer.relayState)
  const browser = answer.browser ?? answer.markBrowser()
  return completeSignIn(deps, identity, { browser, next, origin: answer.origin })
}
