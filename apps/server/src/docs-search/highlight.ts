// Texts of hits as HTML: everything escaped, then marks around the words that were asked for. Clients put it into pages
// as it is.
import { splitAtTokens, termsOf } from './words.ts'

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

/**
 * HTML of a text with its asked words marked, whatever their endings.
 * @param asked terms of the index
 */
export function highlight(text: string, asked: ReadonlySet<string>, { before, after }: Marks): string {
  const mark = (part: string): string => `${before}${escapeHtml(part)}${after}`
  return splitAtTokens(text)
    .map((token, index) => {
      if (index % 2 === 0) return escapeHtml(token)
      const [whole, ...parts] = termsOf(token)
      if (whole !== undefined && asked.has(whole)) return mark(token)
      if (!parts.some((part) => asked.has(part))) return escapeHtml(token)
      // Of a literal only some parts were asked for.
      return token
        .split(/([-.:/_]+)/)
        .map((part) => (termsOf(part).some((term) => asked.has(term)) ? mark(part) : escapeHtml(part)))
        .join('')
    })
    .join('')
}

/**
 * HTML of the part of a text that has most of the asked words.
 * @param asked terms of the index
 * @param count words of the part
 * @param ellipsis stands where something was left out
 */
export function snippet(
  text: string,
  asked: ReadonlySet<string>,
  count: number,
  ellipsis: string,
  marks: Marks,
): string {
  const all = text.split(/\s+/).filter((word) => word !== '')
  if (all.length <= count) return highlight(text, asked, marks)
  const hits = all.map((word) => (termsOf(word).some((term) => asked.has(term)) ? 1 : 0))
  let sum = hits.slice(0, count).reduce<number>((total, hit) => total + hit, 0)
  let most = { from: 0, sum }
  for (let from = 1; from + count <= all.length; from += 1) {
    sum += (hits[from + count - 1] ?? 0) - (hits[from - 1] ?? 0)
    if (sum > most.sum) most = { from, sum }
  }
  // A word or two before the first asked one read better than to begin with it.
  const first = hits.indexOf(1, most.from)
  const from = Math.min(Math.max(most.from, first - 2), all.length - count)
  const part = highlight(all.slice(from, from + count).join(' '), asked, marks)
  return `${from > 0 ? escapeHtml(ellipsis) : ''}${part}${from + count < all.length ? escapeHtml(ellipsis) : ''}`
}
