// Texts of hits as HTML: everything escaped, then marks around the words that were asked for. Clients put it into pages
// as it is.
import { words } from './index.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign)
}

export interface Marks {
  readonly before: string
  readonly after: string
}

/** How well a word of a text answers a query: as one of its words, or as the beginning of one. */
function isAsked(word: string, asked: readonly string[]): boolean {
  return words(word).some((part) => asked.some((term) => part === term || (term.length > 1 && part.startsWith(term))))
}

/** HTML of a text with its asked words marked. */
export function highlight(text: string, query: string, { before, after }: Marks): string {
  const asked = words(query)
  return text
    .split(/([\p{L}\p{N}_]+)/u)
    .map((part, index) =>
      index % 2 === 1 && isAsked(part, asked) ? `${before}${escapeHtml(part)}${after}` : escapeHtml(part),
    )
    .join('')
}

/**
 * HTML of the part of a text that has most of the asked words.
 * @param count words of the part
 * @param ellipsis stands where something was left out
 */
export function snippet(text: string, query: string, count: number, ellipsis: string, marks: Marks): string {
  const asked = words(query)
  const all = text.split(/\s+/).filter((word) => word !== '')
  if (all.length <= count) return highlight(text, query, marks)
  const hits = all.map((word) => (isAsked(word, asked) ? 1 : 0))
  let sum = hits.slice(0, count).reduce<number>((total, hit) => total + hit, 0)
  let most = { from: 0, sum }
  for (let from = 1; from + count <= all.length; from += 1) {
    sum += (hits[from + count - 1] ?? 0) - (hits[from - 1] ?? 0)
    if (sum > most.sum) most = { from, sum }
  }
  // A word or two before the first asked one read better than to begin with it.
  const first = hits.indexOf(1, most.from)
  const from = Math.min(Math.max(most.from, first - 2), all.length - count)
  const part = highlight(all.slice(from, from + count).join(' '), query, marks)
  return `${from > 0 ? escapeHtml(ellipsis) : ''}${part}${from + count < all.length ? escapeHtml(ellipsis) : ''}`
}
