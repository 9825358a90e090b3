// A response of the SAML identity provider: read in two steps, because the request that it answers must be known before
// it can be judged.
import { decryptAssertion } from './decryption.ts'
import { type AssertionRules, type ProvenPerson, readAssertion } from './assertion.ts'
import { elementsOf } from './library.ts'
import { ASSERTION, PROTOCOL, SUCCESS } from './names.ts'
import { signaturesOf, verifySigned } from './signature.ts'
import { type GuardedXml, decodeMessage, guardXml } from './xml-guard.ts'
import { XmlRefused, type XmlElement, attributeOf, childrenOf, everyElement } from './xml-tree.ts'

export interface ResponseRules extends AssertionRules {
  /** PEM certificates of the identity provider. */
  readonly certificates: readonly string[]
  /** PEM private keys of ours, the newest first. */
  readonly decryptionKeys: readonly string[]
}

/** A message that has passed the guard; nothing of it is proven. */
export interface OpenedResponse {
  readonly message: GuardedXml
  /** Id of the request that it claims to answer; undefined when the provider began. */
  readonly inResponseTo: string | undefined
}

/** @param field the form field SAMLResponse @throws {XmlRefused} */
export async function openResponse(field: string): Promise<OpenedResponse> {
  const message = await guardXml(decodeMessage(field))
  const { root } = message
  if (root.ns !== PROTOCOL || root.local !== 'Response') throw new XmlRefused('it is not a SAML response')
  if (attributeOf(root, 'Version') !== '2.0') throw new XmlRefused('it is not of SAML 2.0')
  return { message, inResponseTo: attributeOf(root, 'InResponseTo') }
}

/**
 * Verifies a response and reads its assertion.
 * @throws {XmlRefused} with the first reason
 */
export async function verifyResponse({ message }: OpenedResponse, rules: ResponseRules): Promise<ProvenPerson> {
  const { xml, root, dom: outer } = message
  requireSuccess(root)
  const destination = attributeOf(root, 'Destination')
  if (destination !== undefined && destination !== rules.recipient) throw new XmlRefused('its destination is another')
  const [issuer] = childrenOf(root, ASSERTION, 'Issuer')
  if (issuer && issuer.text.trim() !== rules.issuer) throw new XmlRefused('its issuer is another')
  if (attributeOf(root, 'InResponseTo') !== rules.requestId) throw new XmlRefused('it answers another request')
  requireOneAssertion(root)
  if (signaturesOf(root) > 0) verifySigned({ xml, element: root, node: outer }, rules.certificates)
  const index = root.children.findIndex(({ local }) => local === 'Assertion' || local === 'EncryptedAssertion')
  const element = root.children[index]
  const node = elementsOf(outer)[index]
  if (!element || !node) throw new XmlRefused('it has no assertion')
  if (element.local === 'Assertion') {
    return readAssertion(verifySigned({ xml, element, node }, rules.certificates), rules)
  }
  const inner = await guardXml(await decryptAssertion({ element, node }, rules.decryptionKeys))
  requireNothingWrapped(inner.root, [inner.root])
  const signed = { xml: inner.xml, element: inner.root, node: inner.dom }
  return readAssertion(verifySigned(signed, rules.certificates), rules)
}

function requireSuccess(root: XmlElement): void {
  const [status, second] = childrenOf(root, PROTOCOL, 'Status')
  const code = status && childrenOf(status, PROTOCOL, 'StatusCode')[0]
  if (!status || second || !code) throw new XmlRefused('it has no status')
  if (attributeOf(code, 'Value') === SUCCESS) return
  const inner = childrenOf(code, PROTOCOL, 'StatusCode')[0] ?? code
  const name = (attributeOf(inner, 'Value') ?? '').split(':').at(-1) ?? ''
  throw new XmlRefused(`the identity provider reports ${/^\w{1,40}$/.test(name) ? name : 'a failure'}`)
}

/** Wrapped signatures need a second assertion, or one in another place. */
function requireOneAssertion(root: XmlElement): void {
  const own = root.children.filter(({ local }) => local === 'Assertion' || local === 'EncryptedAssertion')
  if (own.length !== 1 || own.some(({ ns }) => ns !== ASSERTION)) {
    throw new XmlRefused('it has not exactly one assertion')
  }
  requireNothingWrapped(root, [root, ...own])
}

function requireNothingWrapped(root: XmlElement, expected: readonly XmlElement[]): void {
  const wrapped = everyElement(root).filter(
    (one) => /^(response|assertion|encryptedassertion)$/i.test(one.local) && !expected.includes(one),
  )
  if (wrapped.length > 0) throw new XmlRefused('it contains an assertion or response in another place')
  const signers = everyElement(root).filter((one) => one.children.some(({ local }) => local === 'Signature'))
  if (signers.some((one) => !expected.includes(one))) throw new XmlRefused('it contains a signature in another place')
}
