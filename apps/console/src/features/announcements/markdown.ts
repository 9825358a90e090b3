// Parses the subset of Markdown (CommonMark) that announcements need into data; the view turns it into elements, so no
// text ever becomes markup. Unsupported syntax stays text. Links are limited to http, https and mailto.

export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly inner: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly inner: readonly Inline[] }

export type Block =
  | { readonly kind: 'heading'; readonly level: 2 | 3 | 4; readonly inner: readonly Inline[] }
  | { readonly kind: 'paragraph' | 'quote'; readonly inner: readonly Inline[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }

const FENCE = /^\s{0,3}(?:```|~~~)/
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/
const BULLET = /^\s{0,3}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/
const RULE = /^\s{0,3}(?:[-*_]\s*){3,}$/
/** Nesting limit: deeper than people write. */
const MAX_DEPTH = 4

/** Parses a text into blocks. */
export function parseMarkdown(text: string): Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const blocks: Block[] = []
  let paragraph: string[] = []
  const flush = () => {
    if (paragraph.length) blocks.push({ kind: 'paragraph', inner: parseInline(paragraph.join(' ')) })
    paragraph = []
  }
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const heading = HEADING.exec(line)
    const bullet = RULE.test(line) ? null : BULLET.exec(line)
    if (FENCE.test(line)) {
      flush()
      const end = lines.findIndex((each, index) => index > at && FENCE.test(each))
      const last = end < 0 ? lines.length : end
      blocks.push({ kind: 'code', text: lines.slice(at + 1, last).join('\n') })
      at = last
    } else if (heading) {
      flush()
      const level = Math.min(4, (heading[1]?.length ?? 1) + 1)
      blocks.push({
        kind: 'heading',
        level: level === 2 ? 2 : level === 3 ? 3 : 4,
        inner: parseInline(heading[2] ?? ''),
      })
    } else if (RULE.test(line)) {
      flush()
      blocks.push({ kind: 'rule' })
    } else if (bullet) {
      flush()
      const ordered = bullet[1] !== undefined
      const items: (readonly Inline[])[] = []
      for (; at < lines.length; at += 1) {
        const item = BULLET.exec(lines[at] ?? '')
        if (!item || (item[1] !== undefined) !== ordered) break
        items.push(parseInline(item[2] ?? ''))
      }
      at -= 1
      blocks.push({ kind: 'list', ordered, items })
    } else if (line.startsWith('>')) {
      flush()
      blocks.push({ kind: 'quote', inner: parseInline(line.replace(/^>\s?/, '')) })
    } else if (line.trim() === '') flush()
    else paragraph.push(line.trim())
  }
  flush()
  return blocks
}

/** Each pattern matches one construct; the leftmost match wins. */
const INLINE =
  /`([^`]+)`|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\[([^\]]*)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>()]+)/

export function parseInline(text: string, depth = 0): Inline[] {
  const found = depth < MAX_DEPTH ? INLINE.exec(text) : null
  if (!found) return text === '' ? [] : [{ kind: 'text', text }]
  const [whole, code, stars, lines, emphasis, label, target, bare] = found
  const inner = (part: string) => parseInline(part, depth + 1)
  const strong = stars ?? lines
  let node: Inline = { kind: 'text', text: whole }
  if (code !== undefined) node = { kind: 'code', text: code }
  else if (strong !== undefined) node = { kind: 'strong', inner: inner(strong) }
  else if (emphasis !== undefined) node = { kind: 'emphasis', inner: inner(emphasis) }
  else {
    const href = safeLink(target ?? bare ?? '')
    if (href !== undefined)
      node = { kind: 'link', href, inner: label === undefined ? [{ kind: 'text', text: whole }] : inner(label) }
  }
  const before = text.slice(0, found.index)
  const after = parseInline(text.slice(found.index + whole.length), depth)
  return [...(before === '' ? [] : [{ kind: 'text' as const, text: before }]), node, ...after]
}

/** @returns undefined for anything but an absolute http, https or mailto URL */
function safeLink(target: string): string | undefined {
  try {
    const url = new URL(target)
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined
  } catch {
    return undefined
  }
}
