// Strict parser of the small part of XML that SAML needs. Whatever is not plain elements, attributes and text is
// refused, so that nothing can mean one thing here and another thing to the library that verifies signatures.

export interface XmlAttribute {
  readonly ns: string
  readonly local: string
  readonly value: string
}

export interface XmlElement {
  readonly ns: string
  readonly local: string
  /** Namespace declarations are not among them. */
  readonly attributes: readonly XmlAttribute[]
  readonly children: readonly XmlElement[]
  /** The element's own text, without that of its children. */
  readonly text: string
}

/** A document that is not accepted; the message is the reason. */
export class XmlRefused extends Error {}

const XML_NS = 'http://www.w3.org/XML/1998/namespace'
const MAX_DEPTH = 48
/** The library's work grows with their square. A message of 64 KiB with that many groups is full. */
const MAX_MESSAGE_ELEMENTS = 1_024
const MAX_METADATA_ELEMENTS = 4_096
const MAX_ATTRIBUTES = 32
/** Declarations of namespaces in a document. An element that declares one copies those around it. */
const MAX_DECLARATIONS = 256
const MAX_PREFIXES = 32
const NAME = /(?:([A-Za-z_][\w.-]{0,127}):)?([A-Za-z_][\w.-]{0,127})/y
const SPACE = /[ \t\n]*/y
const ATTRIBUTE_VALUE = /"([^"<]*)"|'([^'<]*)'/y
// oxlint-disable-next-line no-control-regex
const UNSUITABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

type Scope = ReadonlyMap<string, string>

/**
 * Parses a whole document.
 * @param options.comments `refuse` for messages; `skip` for metadata, whose authors comment it
 * @throws {XmlRefused}
 */
export function parseXml(source: string, options: { readonly comments: 'refuse' | 'skip' }): XmlElement {
  return new Parser(source.replaceAll(/\r\n?/g, '\n'), options.comments === 'skip').document()
}

class Parser {
  readonly #xml: string
  readonly #skipsComments: boolean
  readonly #maxElements: number
  /** Namespace of each prefix anywhere in the document: one prefix must not change its meaning. */
  readonly #prefixes = new Map<string, string>()
  #at = 0
  #elements = 0
  #declarations = 0

  constructor(xml: string, skipsComments: boolean) {
    this.#xml = xml
    this.#skipsComments = skipsComments
    this.#maxElements = skipsComments ? MAX_METADATA_ELEMENTS : MAX_MESSAGE_ELEMENTS
  }

  document(): XmlElement {
    if (UNSUITABLE.test(this.#xml)) refuse('it contains characters that XML does not allow')
    const declaration =
      /^<\?xml version=(["'])1\.0\1(?: encoding=(["'])(?:utf-8|UTF-8)\2)?(?: standalone=["']\w+["'])? ?\?>/
    this.#at = declaration.exec(this.#xml)?.[0].length ?? 0
    this.#skipMisc()
    const root = this.#element(new Map([['xml', XML_NS]]), 0)
    this.#skipMisc()
    if (this.#at < this.#xml.length) refuse('something follows its root element')
    return root
  }

  #skipMisc(): void {
    this.#match(SPACE)
    while (this.#comment()) this.#match(SPACE)
  }

  #element(outer: Scope, depth: number): XmlElement {
    if (depth > MAX_DEPTH) refuse('its elements are nested too deeply')
    if ((this.#elements += 1) > this.#maxElements) refuse('it has too many elements')
    this.#markup()
    this.#expect('<')
    const [raw, prefix = '', local = ''] = this.#match(NAME) ?? refuse('a tag has no plain name')
    const { attributes, scope } = this.#attributes(outer)
    const element = { ns: this.#namespace(prefix, scope), local, attributes }
    if (this.#take('/>')) return { ...element, children: [], text: '' }
    this.#expect('>')
    const children: XmlElement[] = []
    let text = ''
    while (!this.#take('</')) {
      const next = this.#xml.indexOf('<', this.#at)
      if (next === -1) refuse('an element does not end')
      if (next > this.#at) {
        text += decode(this.#xml.slice(this.#at, next))
        this.#at = next
      } else if (!this.#comment()) children.push(this.#element(scope, depth + 1))
    }
    if (!this.#take(raw)) refuse('a tag closes another element')
    this.#match(SPACE)
    this.#expect('>')
    if (children.length > 0 && text.trim() !== '') refuse('an element has both text and elements')
    return { ...element, children, text }
  }

  #attributes(outer: Scope): { attributes: XmlAttribute[]; scope: Scope } {
    const found: { prefix: string; local: string; value: string }[] = []
    let scope: Scope = outer
    const raws = new Set<string>()
    for (;;) {
      const space = this.#match(SPACE)?.[0] ?? ''
      if (this.#xml[this.#at] === '>' || this.#xml.startsWith('/>', this.#at)) break
      if (space === '') refuse('attributes are not separated')
      const [raw, prefix = '', local = ''] = this.#match(NAME) ?? refuse('an attribute has no plain name')
      this.#expect('=')
      const quoted = this.#match(ATTRIBUTE_VALUE) ?? refuse('an attribute has no quoted value')
      const value = decode((quoted[1] ?? quoted[2] ?? '').replaceAll(/[\t\n]/g, ' '))
      if (raws.has(raw)) refuse(`the attribute ${local} occurs twice in an element`)
      raws.add(raw)
      if (raws.size > MAX_ATTRIBUTES) refuse('an element has too many attributes')
      if (raw === 'xmlns') scope = this.#declare(scope, '', value)
      else if (prefix === 'xmlns') scope = this.#declare(scope, local, value)
      else found.push({ prefix, local, value })
    }
    const attributes = found.map(({ prefix, local, value }) => ({
      ns: prefix === '' ? '' : this.#namespace(prefix, scope),
      local,
      value,
    }))
    const names = new Set(attributes.map(({ ns, local }) => `${ns} ${local}`))
    if (names.size < attributes.length) refuse('an attribute occurs twice in an element')
    return { attributes, scope }
  }

  /** Relative names are refused: canonicalisers fail on them, some by returning nothing to hash. */
  #declare(scope: Scope, prefix: string, uri: string): Scope {
    if (!/^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/.test(uri)) refuse('a namespace has no absolute name')
    if (prefix === 'xml' || prefix === 'xmlns' || uri === XML_NS || uri === 'http://www.w3.org/2000/xmlns/') {
      refuse('it declares a reserved namespace')
    }
    if (prefix !== '' && (this.#prefixes.get(prefix) ?? uri) !== uri) refuse(`the prefix ${prefix} has two meanings`)
    if (prefix !== '') this.#prefixes.set(prefix, uri)
    if ((this.#declarations += 1) > MAX_DECLARATIONS || this.#prefixes.size > MAX_PREFIXES) {
      refuse('it declares too many namespaces')
    }
    return new Map(scope).set(prefix, uri)
  }

  #namespace(prefix: string, scope: Scope): string {
    return scope.get(prefix) ?? (prefix === '' ? '' : refuse(`the prefix ${prefix} has no namespace`))
  }

  #comment(): boolean {
    this.#markup()
    if (!this.#take('<!--')) return false
    if (!this.#skipsComments) refuse('it contains a comment')
    const end = this.#xml.indexOf('--', this.#at)
    if (end === -1 || this.#xml[end + 2] !== '>') refuse('a comment does not end')
    this.#at = end + 3
    return true
  }

  #markup(): void {
    const { length } = '<!DOCTYPE'
    const begin = this.#xml.slice(this.#at, this.#at + length)
    if (begin.toUpperCase() === '<!DOCTYPE') refuse('it contains a document type declaration')
    if (begin.startsWith('<![CDATA[')) refuse('it contains a CDATA section')
    if (begin.startsWith('<?')) refuse('it contains a processing instruction')
    if (begin.startsWith('<!') && !begin.startsWith('<!--')) refuse('it contains a markup declaration')
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#xml) ?? undefined
    if (found) this.#at += found[0].length
    return found
  }

  #take(text: string): boolean {
    if (!this.#xml.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #expect(text: string): void {
    if (!this.#take(text)) refuse('its tags are not well-formed')
  }
}

function decode(text: string): string {
  if (text.includes(']]>')) refuse('it contains the end of a CDATA section')
  return text.replaceAll(/&([^;&]{0,10});?/g, (whole, name: string) => {
    const named = whole.endsWith(';') ? ENTITIES[name] : undefined
    if (named !== undefined) return named
    const [, hex, decimal] = /^#(?:x([0-9A-Fa-f]{1,6})|(\d{1,7}))$/.exec(name) ?? []
    const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16)
    const character = whole.endsWith(';') && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
    if (character === '' || UNSUITABLE.test(character)) refuse('it refers to an entity')
    return character
  })
}

function refuse(reason: string): never {
  throw new XmlRefused(reason)
}

/** Children with that name. */
export function childrenOf(element: XmlElement, ns: string, local: string): XmlElement[] {
  return element.children.filter((child) => child.ns === ns && child.local === local)
}

/** The element and everything in it. */
export function everyElement(element: XmlElement): XmlElement[] {
  return [element, ...element.children.flatMap((child) => everyElement(child))]
}

/** Value of an attribute without a namespace; undefined without it. */
export function attributeOf(element: XmlElement | undefined, local: string): string | undefined {
  return element?.attributes.find((attribute) => attribute.ns === '' && attribute.local === local)?.value
}
