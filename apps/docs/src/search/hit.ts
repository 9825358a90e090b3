// The search service's response, as the site uses it.
export const LEVELS = ['lvl0', 'lvl1', 'lvl2', 'lvl3', 'lvl4', 'lvl5', 'lvl6'] as const
export type Level = (typeof LEVELS)[number]

interface Marked {
  /** HTML: escaped by the service, with `<mark>` around matches. */
  readonly value: string
}

type MarkedHierarchy = Readonly<Partial<Record<Level, Marked>>>

export interface Hit {
  readonly objectID: string
  readonly url: string
  readonly type: Level | 'content'
  readonly content: string | null
  readonly hierarchy: Readonly<Partial<Record<Level, string | null>>>
  readonly _snippetResult?: { readonly content?: Marked; readonly hierarchy?: MarkedHierarchy }
  readonly _highlightResult?: { readonly content?: Marked; readonly hierarchy?: MarkedHierarchy }
  readonly __queryID?: string
  /** From 1, across all result pages. */
  readonly __position?: number
}

/** The deepest heading of a hit. */
export function headingOf({ hierarchy, type }: Pick<Hit, 'hierarchy' | 'type'>): string {
  const from = type === 'content' ? LEVELS.length - 1 : LEVELS.indexOf(type)
  for (let level = from; level >= 0; level -= 1) {
    const text = hierarchy[LEVELS[level] ?? 'lvl0']
    if (text) return text
  }
  return ''
}

/** HTML of a hit's own line. */
export function lineOf(hit: Hit): string {
  const snippets = hit._snippetResult
  if (hit.type === 'content') return snippets?.content?.value ?? escapeHtml(hit.content ?? '')
  return snippets?.hierarchy?.[hit.type]?.value ?? escapeHtml(headingOf(hit))
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Path, query and anchor: the service may return URLs of another host of the same site. */
export function pathOf({ url }: { readonly url: string }): string {
  const { pathname, search, hash } = new URL(url, 'http://localhost')
  return `${pathname}${search}${hash}`
}
