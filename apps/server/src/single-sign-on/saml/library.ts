// The parser, the signatures and the decryption of the SAML library, with types for the little that is used of its DOM.
import { decryptXml, getVerifiedXml, parseDomFromString } from '@node-saml/node-saml/lib/xml.js'

export interface DomNode {
  readonly nodeType: number
  readonly nodeValue: string | null
  readonly childNodes: ArrayLike<DomNode>
}

export interface DomAttribute {
  readonly name: string
  readonly localName: string | null
  readonly namespaceURI: string | null
  readonly value: string
}

export interface DomElement extends DomNode {
  readonly localName: string
  readonly namespaceURI: string | null
  readonly attributes: ArrayLike<DomAttribute>
  /** The element as text. */
  toString(): string
}

/** Parses a document. @returns its root; undefined when the library refuses it */
export async function parseDom(xml: string): Promise<DomElement | undefined> {
  try {
    const document: { readonly documentElement?: DomElement } = await parseDomFromString(xml)
    return document.documentElement
  } catch {
    return undefined
  }
}

/** Child elements, without text. */
export function elementsOf(node: DomNode): DomElement[] {
  return Array.from(node.childNodes).filter((child): child is DomElement => child.nodeType === 1)
}

/** The element as its signature covers it; undefined unless one of the certificates has signed it. */
export function verifiedText(xml: string, node: DomElement, certificates: readonly string[]): string | undefined {
  try {
    return getVerifiedXml(xml, node, [...certificates]) ?? undefined
  } catch {
    return undefined
  }
}

/** @param key PEM private key @returns undefined when the key does not fit or the text was changed */
export function decryptedText(xml: string, key: string): Promise<string | undefined> {
  return decryptXml(xml, key).catch(() => undefined)
}
