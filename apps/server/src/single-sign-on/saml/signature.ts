// Checks of a signature's form before the library verifies it, and the verification. Data is read only from the text
// that verification returns, never from the message around it.
import { type DomElement, verifiedText } from './library.ts'
import { XML_SIGNATURES, ENVELOPED, EXCLUSIVE_C14N } from './names.ts'
import { XmlRefused, type XmlElement, attributeOf, childrenOf, everyElement, parseXml } from './xml-tree.ts'

/** SHA-1 and HMAC are not among them. */
const SIGNATURE_METHODS = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
])
const DIGEST_METHODS = new Set(['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'])
/** Ten that every signature has, and a key with a chain of certificates. */
const MAX_ELEMENTS = 64
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/

/**
 * Verifies the signature that an element carries as its child.
 * @param element and `node`: the two parsers' views of the same element
 * @param certificates PEM; those in the message are ignored
 * @returns the element as it was signed
 * @throws {XmlRefused}
 */
export function verifySigned(
  { xml, element, node }: { readonly xml: string; readonly element: XmlElement; readonly node: DomElement },
  certificates: readonly string[],
): XmlElement {
  requirePlainSignature(element)
  const verified = verifiedText(xml, node, certificates)
  if (!verified) throw new XmlRefused('its signature is not one of the identity provider’s certificates')
  const signed = parseXml(verified, { comments: 'refuse' })
  const isTheSame =
    signed.ns === element.ns &&
    signed.local === element.local &&
    attributeOf(signed, 'ID') === attributeOf(element, 'ID')
  if (!isTheSame) throw new XmlRefused('its signature covers another element')
  return signed
}

/** Number of signatures that are children of the element. */
export function signaturesOf(element: XmlElement): number {
  return childrenOf(element, XML_SIGNATURES, 'Signature').length
}

function requirePlainSignature(element: XmlElement): void {
  const [signature, second] = childrenOf(element, XML_SIGNATURES, 'Signature')
  if (!signature) throw new XmlRefused('it is not signed')
  if (second) throw new XmlRefused('it has more than one signature')
  const all = everyElement(signature)
  if (all.length > MAX_ELEMENTS) throw new XmlRefused('its signature has too many elements')
  const only = (local: string): XmlElement => {
    const [found, other] = all.filter((one) => one.ns === XML_SIGNATURES && one.local === local)
    if (!found || other) throw new XmlRefused(`its signature has not exactly one ${local}`)
    return found
  }
  if (all.some((one) => one.ns === XML_SIGNATURES && (one.local === 'Object' || one.local === 'Manifest'))) {
    throw new XmlRefused('its signature contains objects')
  }
  only('SignedInfo')
  const algorithm = (local: string): string => attributeOf(only(local), 'Algorithm') ?? ''
  if (!SIGNATURE_METHODS.has(algorithm('SignatureMethod')))
    throw new XmlRefused('its signature algorithm is not allowed')
  if (!DIGEST_METHODS.has(algorithm('DigestMethod'))) throw new XmlRefused('its digest algorithm is not allowed')
  if (algorithm('CanonicalizationMethod') !== EXCLUSIVE_C14N)
    throw new XmlRefused('its canonicalisation is not allowed')
  const transforms = childrenOf(only('Transforms'), XML_SIGNATURES, 'Transform').map((one) =>
    attributeOf(one, 'Algorithm'),
  )
  if (transforms.join(' ') !== `${ENVELOPED} ${EXCLUSIVE_C14N}`) throw new XmlRefused('its transforms are not allowed')
  const id = attributeOf(element, 'ID') ?? ''
  if (id === '' || attributeOf(only('Reference'), 'URI') !== `#${id}`) {
    throw new XmlRefused('its signature covers another element')
  }
  for (const local of ['DigestValue', 'SignatureValue']) {
    if (!BASE64.test(only(local).text)) throw new XmlRefused(`its ${local} is not base64`)
  }
}
