// The statements of a verified assertion, each judged against what this server expects. Times are those of the server's
// clock.
import { ASSERTION, BEARER, TRANSIENT } from './names.ts'
import { XmlRefused, type XmlElement, attributeOf, childrenOf } from './xml-tree.ts'

/** Tolerated difference between the provider's clock and ours. */
const SKEW_MS = 60_000
export const MAX_VALUES = 256

export interface AssertionRules {
  /** Entity id of the identity provider. */
  readonly issuer: string
  /** Our entity id. */
  readonly audience: string
  /** Address of our assertion consumer. */
  readonly recipient: string
  /** Id of our request; undefined for a sign-in that the provider began. */
  readonly requestId: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The person of an assertion. */
export interface ProvenPerson {
  readonly assertionId: string
  readonly nameId: string
  /** Values of attributes, by name in lower case. */
  readonly attributes: ReadonlyMap<string, readonly string[]>
  /** Milliseconds since the epoch at which the assertion cannot be used any more. */
  readonly expiresAt: number
  /** AuthnInstant: when the person was authenticated there, in milliseconds since the epoch; 0 if it is not stated. */
  readonly authenticatedAt: number
}

/**
 * @param assertion as it was signed
 * @throws {XmlRefused} with the first reason
 */
export function readAssertion(assertion: XmlElement, rules: AssertionRules): ProvenPerson {
  if (assertion.ns !== ASSERTION || assertion.local !== 'Assertion') throw new XmlRefused('it has no assertion')
  if (attributeOf(assertion, 'Version') !== '2.0') throw new XmlRefused('its assertion is not of SAML 2.0')
  const assertionId = attributeOf(assertion, 'ID') ?? ''
  const issuer = one(assertion, 'Issuer').text.trim()
  if (issuer !== rules.issuer) throw new XmlRefused(`its assertion is issued by ${quote(issuer)}`)
  const subject = one(assertion, 'Subject')
  const expiresAt = confirmedUntil(subject, rules)
  requireConditions(one(assertion, 'Conditions'), rules)
  const authenticatedAt = authenticationOf(assertion, rules.now)
  const attributes = attributesOf(assertion)
  return { assertionId, nameId: nameIdOf(subject), attributes, expiresAt: expiresAt + SKEW_MS, authenticatedAt }
}

function nameIdOf(subject: XmlElement): string {
  const nameId = one(subject, 'NameID')
  if (attributeOf(nameId, 'Format') === TRANSIENT) throw new XmlRefused('its NameID is transient, not persistent')
  const value = nameId.text.trim()
  if (value === '' || value.length > 512) throw new XmlRefused('its NameID is empty or too long')
  return value
}

/** @returns end of the confirmation, in milliseconds since the epoch */
function confirmedUntil(subject: XmlElement, { recipient, requestId, now }: AssertionRules): number {
  const bearers = childrenOf(subject, ASSERTION, 'SubjectConfirmation').filter(
    (confirmation) => attributeOf(confirmation, 'Method') === BEARER,
  )
  const [bearer] = bearers
  if (!bearer || bearers.length > 1) throw new XmlRefused('it has not exactly one bearer confirmation')
  const data = one(bearer, 'SubjectConfirmationData')
  if (attributeOf(data, 'Recipient') !== recipient) throw new XmlRefused('its recipient is another')
  if (attributeOf(data, 'InResponseTo') !== requestId) throw new XmlRefused('its subject answers another request')
  requireBegun(data, now)
  const end = timeOf(data, 'NotOnOrAfter')
  if (end === undefined) throw new XmlRefused('its confirmation has no end')
  if (now - SKEW_MS >= end) throw new XmlRefused('it has expired')
  return end
}

function requireConditions(conditions: XmlElement, { audience, now }: AssertionRules): void {
  requireBegun(conditions, now)
  const end = timeOf(conditions, 'NotOnOrAfter')
  if (end !== undefined && now - SKEW_MS >= end) throw new XmlRefused('it has expired')
  const restrictions = childrenOf(conditions, ASSERTION, 'AudienceRestriction')
  const isForUs = restrictions.every((restriction) =>
    childrenOf(restriction, ASSERTION, 'Audience').some(({ text }) => text.trim() === audience),
  )
  if (restrictions.length === 0 || !isForUs) throw new XmlRefused('its audience is another')
}

/** @returns the oldest AuthnInstant, in milliseconds since the epoch; 0 where a statement has none */
function authenticationOf(assertion: XmlElement, now: number): number {
  const statements = childrenOf(assertion, ASSERTION, 'AuthnStatement')
  if (statements.length === 0) throw new XmlRefused('it does not state an authentication')
  for (const statement of statements) {
    const end = timeOf(statement, 'SessionNotOnOrAfter')
    if (end !== undefined && now - SKEW_MS >= end)
      throw new XmlRefused('the session at the identity provider has ended')
  }
  return Math.min(...statements.map((statement) => timeOf(statement, 'AuthnInstant') ?? 0))
}

function requireBegun(element: XmlElement, now: number): void {
  const begin = timeOf(element, 'NotBefore')
  if (begin !== undefined && now + SKEW_MS < begin) throw new XmlRefused('it is not valid yet')
}

/** By Name, and by FriendlyName where no attribute has that name: SAML identifies attributes by Name alone (core 2.7.3.1). */
function attributesOf(assertion: XmlElement): Map<string, readonly string[]> {
  const attributes = childrenOf(assertion, ASSERTION, 'AttributeStatement')
    .flatMap((statement) => childrenOf(statement, ASSERTION, 'Attribute'))
    .map((attribute) => ({
      name: attributeOf(attribute, 'Name')?.toLowerCase(),
      friendly: attributeOf(attribute, 'FriendlyName')?.toLowerCase(),
      values: childrenOf(attribute, ASSERTION, 'AttributeValue').map(({ text }) => text.trim().slice(0, 1_024)),
    }))
  const found = new Map<string, readonly string[]>()
  const add = (key: string, values: readonly string[]): void => {
    if (!found.has(key) && found.size >= MAX_VALUES) return
    found.set(key, [...(found.get(key) ?? []), ...values].slice(0, MAX_VALUES))
  }
  // Some providers send an attribute of several values as several attributes.
  for (const { name, values } of attributes) if (name) add(name, values)
  const named = new Set(found.keys())
  for (const { friendly, values } of attributes) {
    if (!friendly || named.has(friendly)) continue
    named.add(friendly)
    add(friendly, values)
  }
  return found
}

function one(element: XmlElement, local: string): XmlElement {
  const [found, second] = childrenOf(element, ASSERTION, local)
  if (!found || second) throw new XmlRefused(`its ${element.local} has not exactly one ${local}`)
  return found
}

/** @returns milliseconds since the epoch; undefined without the attribute */
function timeOf(element: XmlElement, name: string): number | undefined {
  const text = attributeOf(element, name)
  if (text === undefined) return undefined
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text)) throw new XmlRefused(`its ${name} is not a UTC time`)
  const time = Date.parse(text.replace(/(\.\d{3})\d+Z$/, '$1Z'))
  if (Number.isNaN(time)) throw new XmlRefused(`its ${name} is not a UTC time`)
  return time
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200))
}
