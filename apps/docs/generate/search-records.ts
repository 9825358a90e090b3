// Generates a page's search records: one for each heading and each block of text, with the headings above it.
import { createHash } from 'node:crypto'
import { load } from 'cheerio'
import { CONTROLS, type Page } from './markdown.ts'

export interface SearchRecord {
  readonly objectID: string
  readonly url: string
  readonly type: string
  /** Text of a block; null for headings. */
  readonly content: string | null
  /** The page's description, under its first heading; operations have it as text. */
  readonly about?: string
  readonly hierarchy: Readonly<Record<string, string>>
  /** Position on the page, from 0. */
  readonly position: number
}

const PARTS: readonly (readonly [prefix: string, part: string])[] = [
  ['developers/openapi/', 'API'],
  ['developers/', 'Developers'],
  ['self-hosted/', 'Self-hosted'],
  ['admin-guides/', 'Admin guides'],
  ['user-guides/', 'User guides'],
]
const MAX_CHARACTERS = 600

/**
 * @param html of the page's article
 * @returns nothing for operations that the community edition has as well: one page is enough to find
 */
export function searchRecords(html: string, page: Page): SearchRecord[] {
  const dom = load(html)
  dom(CONTROLS).remove()
  const isCall = /^developers\/openapi\/(community|cloud)\//.test(page.path)
  if (page.path.startsWith('developers/openapi/cloud/') && !html.includes('/api/billing/') && !isCloudOnly(html))
    return []
  const headings: string[] = [PARTS.find(([prefix]) => page.path.startsWith(prefix))?.[1] ?? 'Overview']
  const records: SearchRecord[] = []
  let anchor = ''
  let left = false
  const add = (type: string, content: string | null): void => {
    const position = records.length
    const hierarchy = Object.fromEntries(
      headings.flatMap((heading, level) => (heading ? [[`lvl${level}`, heading] as const] : [])),
    )
    records.push({
      objectID: createHash('sha256').update(`${page.path}\0${position}`).digest('hex').slice(0, 16),
      url: `${page.permalink}${anchor ? `#${anchor}` : ''}`,
      type,
      content,
      ...(type === 'lvl1' && !isCall ? { about: page.description } : {}),
      hierarchy,
      position,
    })
  }
  for (const node of dom('h1, h2, h3, h4, h5, h6, p, li, tr, pre').toArray()) {
    const name = dom(node).prop('tagName')?.toLowerCase() ?? ''
    // Separate cells and lines.
    dom(node).find('td, br').append(' ').after(' ')
    const text = dom(node).text().replaceAll('​', '').replaceAll(/\s+/g, ' ').trim()
    if (text === '') continue
    const level = /^h[1-6]$/.test(name) ? Number(name[1]) : 0
    if (level > 0) {
      // Errors and examples repeat on each operation's page.
      left = isCall && level > 1
      if (left) continue
      headings.splice(level)
      while (headings.length < level) headings.push('')
      headings.push(text)
      anchor = level === 1 ? '' : (dom(node).attr('id') ?? '')
      add(`lvl${level}`, null)
    } else if (!left && !isInside(name, dom(node).parents('li, tr').length) && dom(node).find('th').length === 0) {
      for (const part of split(text)) add('content', part)
    }
  }
  return records
}

/** Long examples are split into several records, so that each of their words is found. */
function split(text: string): string[] {
  return (
    text.match(new RegExp(`.{1,${MAX_CHARACTERS}}(?:\\s|$)|\\S{${MAX_CHARACTERS}}`, 'g'))?.map((part) => part.trim()) ??
    []
  )
}

const isCloudOnly = (html: string): boolean => html.includes('cloud edition only')

/** Paragraphs inside list items and cells are part of those. */
const isInside = (name: string, above: number): boolean => above > 0 && name !== 'pre'
