// Metadata: what an identity provider publishes about itself, and what this service provider does.
import { X509Certificate } from 'node:crypto'
import { XML_SIGNATURES, METADATA, PERSISTENT, POST_BINDING, PROTOCOL, REDIRECT_BINDING } from './names.ts'
import { XmlRefused, type XmlElement, attributeOf, childrenOf, everyElement, parseXml } from './xml-tree.ts'

export interface IdentityProvider {
  readonly entityId: string
  /** Address of the HTTP-Redirect binding. */
  readonly signonUrl: string
  /** Base64 of the DER form, in the order of the metadata. */
  readonly certificates: readonly string[]
}

/** Largest metadata document, in characters. */
export const METADATA_CHARACTERS = 262_144
const MAX_CERTIFICATES = 10

/** @throws {XmlRefused} with the reason */
export function readMetadata(xml: string): IdentityProvider {
  if (xml.length > METADATA_CHARACTERS) throw new XmlRefused('it is larger than 256 KiB')
  const root = parseXml(xml.replace(/^\uFEFF/, ''), { comments: 'skip' })
  const providers = everyElement(root).filter(
    (one) => one.local === 'EntityDescriptor' && childrenOf(one, METADATA, 'IDPSSODescriptor').length > 0,
  )
  const [provider] = providers
  if (!provider || providers.length > 1) throw new XmlRefused('it does not describe exactly one identity provider')
  const [role] = childrenOf(provider, METADATA, 'IDPSSODescriptor')
  if (!role || !(attributeOf(role, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL)) {
    throw new XmlRefused('its identity provider does not support SAML 2.0')
  }
  const entityId = attributeOf(provider, 'entityID')?.trim() ?? ''
  if (entityId === '' || entityId.length > 1_024) throw new XmlRefused('its entityID is missing or too long')
  const service = childrenOf(role, METADATA, 'SingleSignOnService').find(
    (one) => attributeOf(one, 'Binding') === REDIRECT_BINDING,
  )
  const signonUrl = attributeOf(service, 'Location') ?? ''
  if (!/^https?:\/\//.test(signonUrl) || !URL.canParse(signonUrl)) {
    throw new XmlRefused('it has no address for the HTTP-Redirect binding')
  }
  return { entityId, signonUrl, certificates: certificatesOf(role) }
}

function certificatesOf(role: XmlElement): string[] {
  const texts = childrenOf(role, METADATA, 'KeyDescriptor')
    .filter((key) => attributeOf(key, 'use') !== 'encryption')
    .flatMap((key) => everyElement(key).filter((one) => one.ns === XML_SIGNATURES && one.local === 'X509Certificate'))
    .map(({ text }) => readCertificate(text) ?? fail())
  if (texts.length === 0) throw new XmlRefused('it has no signing certificate')
  if (texts.length > MAX_CERTIFICATES) throw new XmlRefused('it has too many certificates')
  return [...new Set(texts)]
}

function fail(): never {
  throw new XmlRefused('one of its certificates cannot be read, or has no RSA key')
}

/** @param text base64 of the DER form, or PEM @returns the base64; undefined unless it is a certificate of an RSA key */
export function readCertificate(text: string): string | undefined {
  const base64 = text.replaceAll(/-----(BEGIN|END) CERTIFICATE-----|\s/g, '')
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'))
    return certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate.raw.toString('base64') : undefined
  } catch {
    return undefined
  }
}

/** @param base64 the DER form */
export function toPem(base64: string): string {
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

/**
 * Our own metadata.
 * @param own.certificates base64 of the DER form, the newest first: two during a rollover
 * @param own.validUntil milliseconds since the epoch
 */
export function writeMetadata(own: {
  readonly entityId: string
  readonly consumerUrl: string
  readonly certificates: readonly string[]
  readonly signsRequests: boolean
  readonly validUntil: number
}): string {
  const key = (use: string) => (certificate: string) =>
    `<md:KeyDescriptor use="${use}"><ds:KeyInfo xmlns:ds="${XML_SIGNATURES}"><ds:X509Data><ds:X509Certificate>${certificate}` +
    '</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>'
  const keys = (['signing', 'encryption'] as const).flatMap((use) => own.certificates.map(key(use)))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escape(own.entityId)}" validUntil="${new Date(own.validUntil).toISOString()}" cacheDuration="P1D">`,
    `<md:SPSSODescriptor AuthnRequestsSigned="${own.signsRequests}" WantAssertionsSigned="true" protocolSupportEnumeration="${PROTOCOL}">`,
    ...keys,
    `<md:NameIDFormat>${PERSISTENT}</md:NameIDFormat>`,
    `<md:AssertionConsumerService Binding="${POST_BINDING}" Location="${escape(own.consumerUrl)}" index="0" isDefault="true"/>`,
    '</md:SPSSODescriptor></md:EntityDescriptor>\n',
  ].join('\n')
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
