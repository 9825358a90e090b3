// Collects the rules of fields from the sources of contract, server and console: predicates such as "must be a whole
// number", which an error appends to the name of its field.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { type Node, visit } from './extract.ts'

const root = join(import.meta.dirname, '../../..')

/** SCIM, the command line and certificates have rules that only programs and operators read. */
const SOURCES = [
  'packages/contract/src/{operations,schemas}/**/*.ts',
  'apps/console/src/features/**/*.{ts,tsx}',
  'apps/server/src/**/*.ts',
]
const OTHERS = [
  '**/*.test.ts',
  '**/*messages.ts',
  '**/testing/**',
  'apps/server/src/{scim,cli,certificates,compose,exports}/**',
]

const PREDICATE = /^(must|may|is|are|needs|names|has|have|repeats) (?!not$|not distinct from$)/

/** Rules with the file of each; `{…}` stands for a value. */
export function ruleSources(): ReadonlyMap<string, string> {
  const rules = new Map<string, string>()
  for (const file of globSync(SOURCES, { cwd: root, exclude: OTHERS })) {
    const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'))
    visit(program, (node) => {
      const text = textOf(node)
      if (text !== undefined && PREDICATE.test(text)) rules.set(text, file)
    })
  }
  return rules
}

function textOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node.type !== 'TemplateLiteral') return undefined
  const parts = node['quasis'] as { readonly value: { readonly cooked: string } }[]
  return parts.map(({ value }) => value.cooked).join('{…}')
}
