// Finds texts that no translator would see: literals on the screen that do not go through `i18n._`.
import { parseSync } from 'vite'
import { type Node, visit } from './extract.ts'

/** Attributes of elements that people read or hear. */
const READ = /^(aria-(label|description|roledescription)|title|placeholder|label|alt|description)$/

/** The product's name, commands, addresses and patterns: the same in every language. */
const SAME = /^(Bowline|JetBrains Mono|BOWLINE_\S+|bowline [a-z].*|https:\S+|[\d./:, a-f]+|\^\S+|SSH|SAML|HTTP|CSV)$/

/**
 * @param file path; in files of messages every value counts, elsewhere what is written into JSX
 * @returns the texts
 */
export function literalsOf(source: string, file: string): string[] {
  const found: string[] = []
  const report = (text: unknown) => {
    if (typeof text === 'string' && /[A-Za-z]{2}/.test(text) && !SAME.test(text.trim())) found.push(text.trim())
  }
  const { program } = parseSync(file, source)
  visit(program, (node) => {
    if (node.type === 'JSXText') report(node['value'])
    if (node.type === 'JSXAttribute' && READ.test((node['name'] as { readonly name: string }).name)) {
      report((node['value'] as Node | null)?.['value'])
    }
    if (file.endsWith('messages.ts')) for (const value of valuesOf(node)) report(textOf(value))
  })
  return found
}

/** Expressions that a property, a function or a choice results in. */
function valuesOf(node: Node): (Node | undefined)[] {
  if (node.type === 'Property') return nameOf(node) === 'context' ? [] : [node['value'] as Node]
  if (node.type === 'ArrowFunctionExpression') return [node['body'] as Node]
  if (node.type === 'ConditionalExpression') return [node['consequent'] as Node, node['alternate'] as Node]
  // Keys with what they do: the keys are named as on the keyboard.
  if (node.type === 'ArrayExpression') return (node['elements'] as Node[]).slice(1)
  return []
}

function nameOf(node: Node): string | undefined {
  return (node['key'] as { readonly name?: string }).name
}

function textOf(node: Node | undefined): unknown {
  if (node?.type !== 'TemplateLiteral') return node?.['value']
  return (node['quasis'] as { readonly value: { readonly cooked: string } }[]).map(({ value }) => value.cooked).join('')
}
