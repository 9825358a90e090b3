// Highlights fences at build time: browsers receive the markup and not the parsers.
import Prism from 'prismjs'
import 'prismjs/components/prism-bash.js'
import 'prismjs/components/prism-ini.js'
import 'prismjs/components/prism-json.js'
import 'prismjs/components/prism-nginx.js'
import 'prismjs/components/prism-python.js'
import 'prismjs/components/prism-sql.js'
import 'prismjs/components/prism-typescript.js'
import 'prismjs/components/prism-yaml.js'

/** The part of a hast node that is used here. */
interface Node {
  readonly tagName?: string
  readonly value?: string
  readonly data?: { readonly meta?: string | null }
  properties?: Record<string, unknown>
  children?: Node[]
}

const PLAIN = 'text'

/**
 * Rehype plugin: each `<pre><code>` becomes an empty `<pre>` with the attributes `data-html`,
 * `data-language` and `data-title`, which src/theme/MDXComponents shows.
 * @throws {Error} for a language that is not among the imports
 */
export function highlightCode(): (tree: Node) => void {
  const visit = (node: Node): void => {
    const [code] = node.children ?? []
    if (node.tagName !== 'pre' || code?.tagName !== 'code') {
      node.children?.forEach(visit)
      return
    }
    const language = languageOf(code)
    const text = (code.children ?? []).map(({ value = '' }) => value).join('')
    const title = /title="([^"]*)"/.exec(metaOf(code))?.[1]
    node.properties = {
      'data-html': highlight(text.trimEnd(), language),
      'data-language': language,
      ...(title === undefined ? {} : { 'data-title': title }),
    }
    node.children = []
  }
  return visit
}

function languageOf({ properties }: Node): string {
  const { className } = properties ?? {}
  const names = Array.isArray(className) ? className.map(String) : []
  return names.find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? PLAIN
}

/** The rest of the fence's first line; for MDX pages Docusaurus has moved it. */
function metaOf({ data, properties }: Node): string {
  const moved = properties?.['metastring']
  return data?.meta ?? (typeof moved === 'string' ? moved : '')
}

/** @returns escaped HTML of a text, with `<span class="token …">` around tokens */
export function highlight(text: string, language: string): string {
  const grammar = language === PLAIN ? {} : Prism.languages[language]
  if (!grammar) throw new Error(`Code in the language '${language}' cannot be coloured: generate/highlight-code.ts`)
  return Prism.highlight(text, grammar, language)
}
