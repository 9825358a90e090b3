// A SAML identity provider for tests: metadata, and responses that are signed and encrypted as asked.
import { constants, createCipheriv, publicEncrypt, randomBytes, randomUUID, X509Certificate } from 'node:crypto'
import { signXml } from '@node-saml/node-saml/lib/xml.js'
import { type KeyPair, makeKeyPair } from '../key-pair.ts'
import { toPem } from '../metadata.ts'
import {
  ASSERTION,
  BEARER,
  XML_SIGNATURES,
  METADATA,
  PERSISTENT,
  PROTOCOL,
  REDIRECT_BINDING,
  SUCCESS,
  XENC,
} from '../names.ts'

export interface ResponseParts {
  readonly recipient: string
  readonly audience: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly requestId?: string | undefined
  readonly destination?: string
  readonly nameId?: string
  readonly nameIdFormat?: string
  readonly attributes?: Readonly<Record<string, string>>
  /** Further attributes, as XML. */
  readonly attributeXml?: string
  /** When the provider authenticated the person, in milliseconds since the epoch; null: not stated; default: now. */
  readonly authenticatedAt?: number | null
  readonly responseId?: string
  readonly assertionId?: string
  readonly issuer?: string
  /** Seconds from `now`. */
  readonly validFor?: number
  readonly sign?: 'assertion' | 'response' | 'both' | 'nothing'
  /** Key that signs. */
  readonly keys?: KeyPair
  /** Certificate of ours, base64 of the DER form. */
  readonly encryptFor?: string
  readonly status?: string
}

export interface TestIdentityProvider {
  readonly entityId: string
  readonly keys: KeyPair
  metadata(certificates?: readonly string[]): string
  /** The XML of a response. */
  response(parts: ResponseParts): string
}

export async function createIdentityProvider(
  entityId = 'https://idp.example.org/metadata',
): Promise<TestIdentityProvider> {
  const keys = await makeKeyPair('identity provider', Date.UTC(2_026, 0, 1))
  return {
    entityId,
    keys,
    metadata: (certificates = [keys.certificate]) => metadataOf(entityId, certificates),
    response: (parts) => responseOf({ issuer: entityId, keys, ...parts }),
  }
}

function metadataOf(entityId: string, certificates: readonly string[]): string {
  const descriptors = certificates.map(
    (certificate) =>
      `<KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${XML_SIGNATURES}"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`,
  )
  return `<?xml version="1.0"?><!-- made for a test --><EntityDescriptor xmlns="${METADATA}" entityID="${entityId}"><IDPSSODescriptor protocolSupportEnumeration="${PROTOCOL}">${descriptors.join('')}<SingleSignOnService Binding="${REDIRECT_BINDING}" Location="https://idp.example.org/sso?tenant=1"/></IDPSSODescriptor></EntityDescriptor>`
}

function responseOf(parts: ResponseParts & { issuer: string; keys: KeyPair }): string {
  const { sign = 'assertion', keys, requestId, now } = parts
  let assertion = assertionOf(parts)
  if (sign === 'assertion' || sign === 'both') assertion = signElement(assertion, 'Assertion', keys)
  if (parts.encryptFor) assertion = encrypt(assertion, parts.encryptFor)
  const answers = requestId === undefined ? '' : ` InResponseTo="${requestId}"`
  const response = `<samlp:Response xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${parts.responseId ?? `_${randomUUID()}`}" Version="2.0" IssueInstant="${instant(now)}" Destination="${parts.destination ?? parts.recipient}"${answers}><saml:Issuer>${parts.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${parts.status ?? SUCCESS}"/></samlp:Status>${assertion}</samlp:Response>`
  return sign === 'response' || sign === 'both' ? signElement(response, 'Response', keys) : response
}

function assertionOf(parts: ResponseParts & { issuer: string }): string {
  const { now, validFor = 300, requestId } = parts
  const end = instant(now + validFor * 1_000)
  const begin = instant(now - 5_000)
  const answers = requestId === undefined ? '' : ` InResponseTo="${requestId}"`
  const given = parts.attributes ?? { emailAddress: 'grace@example.org', displayName: 'Grace Hopper' }
  const attributes = Object.entries(given).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`,
  )
  if (parts.attributeXml) attributes.push(parts.attributeXml)
  return `<saml:Assertion xmlns:saml="${ASSERTION}" ID="${parts.assertionId ?? `_${randomUUID()}`}" Version="2.0" IssueInstant="${instant(now)}"><saml:Issuer>${parts.issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${parts.nameIdFormat ?? PERSISTENT}">${parts.nameId ?? 'person-1'}</saml:NameID><saml:SubjectConfirmation Method="${BEARER}"><saml:SubjectConfirmationData NotOnOrAfter="${end}" Recipient="${parts.recipient}"${answers}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${begin}" NotOnOrAfter="${end}"><saml:AudienceRestriction><saml:Audience>${parts.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement${parts.authenticatedAt === null ? '' : ` AuthnInstant="${instant(parts.authenticatedAt ?? now)}"`} SessionIndex="_s1"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>${attributes.length ? `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>` : ''}</saml:Assertion>`
}

/** Signs the outermost element of that name; the signature follows its issuer. */
export function signElement(xml: string, local: 'Assertion' | 'Response', keys: KeyPair): string {
  const path = `//*[local-name(.)='${local}']`
  const location = { reference: `${path}/*[local-name(.)='Issuer']`, action: 'after' } as const
  return signXml(xml, path, location, {
    privateKey: keys.privateKey,
    publicCert: toPem(keys.certificate),
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
  })
}

function encrypt(assertion: string, certificate: string): string {
  const key = randomBytes(32)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const sealed = Buffer.concat([iv, cipher.update(assertion, 'utf8'), cipher.final(), cipher.getAuthTag()])
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
  const wrapped = publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }, key)
  const value = (bytes: Buffer) =>
    `<xenc:CipherData><xenc:CipherValue>${bytes.toString('base64')}</xenc:CipherValue></xenc:CipherData>`
  return `<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc="${XENC}" Type="${XENC}Element"><xenc:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/><ds:KeyInfo xmlns:ds="${XML_SIGNATURES}"><xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="${XENC}rsa-oaep-mgf1p"><ds:DigestMethod Algorithm="${XML_SIGNATURES}sha1"/></xenc:EncryptionMethod>${value(wrapped)}</xenc:EncryptedKey></ds:KeyInfo>${value(sealed)}</xenc:EncryptedData></saml:EncryptedAssertion>`
}

function instant(time: number): string {
  return new Date(time).toISOString()
}
