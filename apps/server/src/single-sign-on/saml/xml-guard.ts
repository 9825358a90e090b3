// First reader of a SAML message, before any library: limits, the strict parser, ids that are unique, and agreement of
// the strict parser with the one that the signature library uses.
import { type DomElement, elementsOf, parseDom } from './library.ts'
import { XmlRefused, type XmlElement, everyElement, parseXml } from './xml-tree.ts'

/** Largest message, in bytes after base64. */
const MAX_BYTES = 65_536

/** A message that both parsers read alike. */
export interface GuardedXml {
  readonly xml: string
  readonly root: XmlElement
  /** The library's view of the root. */
  readonly dom: DomElement
}

/**
 * Decodes the form field of the HTTP-POST binding, which is base64 and never compressed.
 * @throws {XmlRefused}
 */
export function decodeMessage(field: string): string {
  const text = field.replaceAll(/[\r\n\t ]/g, '')
  if (text.length > (MAX_BYTES / 3) * 4 + 4) throw new XmlRefused('it is larger than 64 KiB')
  if (text === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw new XmlRefused('it is not base64')
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length > MAX_BYTES) throw new XmlRefused('it is larger than 64 KiB')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new XmlRefused('it is not UTF-8 text')
  }
}

/**
 * Parses a message twice and compares.
 * @throws {XmlRefused}
 */
export async function guardXml(source: string): Promise<GuardedXml> {
  const xml = source.replaceAll(/\r\n?/g, '\n')
  const root = parseXml(xml, { comments: 'refuse' })
  const ids = everyElement(root).flatMap(({ attributes }) =>
    attributes.filter(({ local }) => local.toLowerCase() === 'id').map(({ value }) => value),
  )
  if (new Set(ids).size < ids.length) throw new XmlRefused('two of its elements have the same id')
  const dom = await parseDom(xml)
  if (!dom || !isSame(root, dom)) throw new XmlRefused('two parsers disagree about it')
  return { xml, root, dom }
}

/** Compares names, attributes, own text and children, in order. */
function isSame(ours: XmlElement, theirs: DomElement): boolean {
  if (ours.local !== theirs.localName || ours.ns !== (theirs.namespaceURI ?? '')) return false
  const attributes = Array.from(theirs.attributes).filter(({ name }) => !/^xmlns(:|$)/.test(name))
  if (attributes.length !== ours.attributes.length) return false
  const agree = ours.attributes.every(({ ns, local, value }) =>
    attributes.some(
      (one) => (one.namespaceURI ?? '') === ns && (one.localName ?? one.name) === local && one.value === value,
    ),
  )
  const nodes = Array.from(theirs.childNodes)
  if (!agree || nodes.some(({ nodeType }) => nodeType !== 1 && nodeType !== 3)) return false
  const text = nodes.map(({ nodeType, nodeValue }) => (nodeType === 3 ? (nodeValue ?? '') : '')).join('')
  const elements = elementsOf(theirs)
  if (text !== ours.text || elements.length !== ours.children.length) return false
  return ours.children.every((child, index) => {
    const element = elements[index]
    return element !== undefined && isSame(child, element)
  })
}
