// Hit texts as HTML: everything escaped, then marks around the matched words. Clients insert it verbatim.
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
 * Renders a text as HTML with matched words marked, whatever their endings.
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
      // Only some parts of the literal match.
      return token
        .split(/([-.:/_]+)/)
        .map((part) => (termsOf(part).some((term) => asked.has(term)) ? mark(part) : escapeHtml(part)))
        .join('')
    })
    .join('')
}

/**
 * Renders the part of a text with the most matches as HTML.
 * @param asked terms of the index
 * @param count length of the part in words
 * @param ellipsis replaces omitted text
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
  // One or two words of context before the first match read better.
  const first = hits.indexOf(1, most.from)
  const from = Math.min(Math.max(most.from, first - 2), all.length - count)
  const part = highlight(all.slice(from, from + count).join(' '), asked, marks)
  return `${from > 0 ? escapeHtml(ellipsis) : ''}${part}${from + count < all.length ? escapeHtml(ellipsis) : ''}`
}
