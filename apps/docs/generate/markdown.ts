// Converts a built page to Markdown, including the output of its components.
import { load } from 'cheerio'

export interface Page {
  readonly title: string
  readonly description: string
  /** Decoded, without the base URL: `overview/faq`. */
  readonly path: string
  /** With the base URL, encoded. */
  readonly permalink: string
}

type Dom = ReturnType<typeof load>
type Node = ReturnType<Dom>[0]

/** Parts of a page that are controls, not text. */
export const CONTROLS = 'button, form, .hash-link, .try-it, .install-command-fields, .only-mark'

/** @param html of the page's article */
export function pageMarkdown(html: string, { title, description }: Page): string {
  const dom = load(html)
  dom(CONTROLS).remove()
  const body = blocks(dom, dom('.theme-doc-markdown')[0]).trim()
  const head = body.startsWith('# ') ? '' : `# ${title}\n\n`
  return `${head}${body.replace(/^(# .*\n)/, `$1\n> ${description}\n`)}\n`.replaceAll(/\n{3,}/g, '\n\n')
}

function blocks(dom: Dom, parent: Node | undefined): string {
  return parent === undefined
    ? ''
    : dom(parent)
        .contents()
        .toArray()
        .map((node) => block(dom, node))
        .join('')
}

function block(dom: Dom, node: Node): string {
  const name = nameOf(dom, node)
  if (name === '#text') return dom(node).text().trim() === '' ? '' : inlineText(dom(node).text())
  const words = (): string => inline(dom, node).trim()
  switch (name) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return `\n${'#'.repeat(Number(name[1]))} ${words()}\n\n`
    case 'p':
    case 'summary':
      return `${words()}\n\n`
    case 'ul':
    case 'ol':
      return `${list(dom, node, name === 'ol')}\n`
    case 'pre':
      return `\`\`\`${languageOf(dom, node)}\n${dom(node).text().trimEnd()}\n\`\`\`\n\n`
    case 'table':
      return `${table(dom, node)}\n`
    case 'a':
      return `- ${words()}\n`
    case 'img':
      return `![${dom(node).attr('alt') ?? ''}](${dom(node).attr('src') ?? ''})\n\n`
    default:
      return blocks(dom, node)
  }
}

function list(dom: Dom, node: Node, ordered: boolean): string {
  return dom(node)
    .children('li')
    .toArray()
    .map((item, index) => {
      const inner = dom(item).children('p, ul, ol, pre, div').length ? blocks(dom, item) : inline(dom, item)
      return `${ordered ? `${index + 1}.` : '-'} ${inner.trim().replaceAll('\n', '\n  ')}\n`
    })
    .join('')
}

function table(dom: Dom, node: Node): string {
  const rows = dom(node)
    .find('tr')
    .toArray()
    .map((row) => {
      const cells = dom(row)
        .children('th, td')
        .toArray()
        .map((cell) => inline(dom, cell).trim().replaceAll('|', '\\|'))
      return `| ${cells.join(' | ')} |`
    })
  const columns = dom(node).find('tr').first().children().length
  return [rows[0], `|${' --- |'.repeat(columns)}`, ...rows.slice(1), ''].join('\n')
}

function inline(dom: Dom, node: Node): string {
  return dom(node)
    .contents()
    .toArray()
    .map((child) => {
      const name = nameOf(dom, child)
      if (name === '#text') return inlineText(dom(child).text())
      const words = inline(dom, child)
      switch (name) {
        case 'code':
          return `\`${dom(child).text()}\``
        case 'a':
          // A Markdown link target ends at a space.
          return `[${words}](${(dom(child).attr('href') ?? '').replaceAll(' ', '%20')})`
        case 'strong':
          return `**${words}**`
        case 'em':
          return `*${words}*`
        case 'br':
          return '\n'
        case 'pre':
          return `\n${block(dom, child)}`
        default:
          return words
      }
    })
    .join('')
}

/** Lower-case tag name; `#text` for a text, `#comment` for a comment. */
const nameOf = (dom: Dom, node: Node): string =>
  node.nodeType === TEXT ? '#text' : (dom(node).prop('nodeName')?.toLowerCase() ?? '')
/** `Node.TEXT_NODE` of the DOM. */
const TEXT = 3

const inlineText = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('​', '')

function languageOf(dom: Dom, node: Node): string {
  const names = `${dom(node).attr('class') ?? ''} ${dom(node).closest('[class*=language-]').attr('class') ?? ''}`
  return /language-(\w+)/.exec(names)?.[1]?.replace('text', '') ?? ''
}
