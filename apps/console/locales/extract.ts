// Collects the texts of the console from its sources: the literals of `i18n._(text, values, { context })`.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { idOf } from '../src/platform/language/id.ts'
import { serverTexts } from './server-texts.ts'
import type { SourceText } from './source-text.ts'

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const app = join(import.meta.dirname, '..')

/** Sources of the console without tests, relative to `apps/console`, in order. */
export function sourceFiles(): string[] {
  const isTest = (name: string) => /(^|\/)testing$|\.test\.tsx?$/.test(name)
  return globSync('src/**/*.{ts,tsx}', { cwd: app, exclude: isTest }).toSorted()
}

/** Everything that a catalog translates: texts of the sources, and those of the server. */
export function allTexts(): SourceText[] {
  return [...sourceTexts(), ...serverTexts()]
}

/** Texts of all sources, each once, in the order of files and lines. */
function sourceTexts(): SourceText[] {
  const texts = new Map<string, SourceText>()
  for (const file of sourceFiles()) {
    for (const found of textsOf(readFileSync(join(app, file), 'utf8'), file)) {
      const id = idOf(found.text, found.context)
      const known = texts.get(id)
      texts.set(id, known ? merged(known, found) : found)
    }
  }
  return [...texts.values()]
}

function merged(a: SourceText, b: SourceText): SourceText {
  const union = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])]
  return { ...a, files: union(a.files, b.files), comments: union(a.comments, b.comments) }
}

/**
 * @param file path for messages
 * @throws Error for a call whose text is no literal
 */
export function textsOf(source: string, file: string): SourceText[] {
  const { program, comments } = parseSync(file, source)
  const texts: SourceText[] = []
  visit(program, (node) => {
    if (node.type !== 'CallExpression') return
    const { callee } = node as unknown as { readonly callee: Node }
    if (source.slice(callee.start, callee.end) !== 'i18n._') return
    const [text, values, options] = node['arguments'] as (Node | undefined)[]
    const literal = stringOf(text)
    if (literal === undefined)
      throw new Error(`${file}: i18n._ takes a literal, not ${source.slice(node.start, node.end)}`)
    // A comment on the lines before: nothing but the property's key is between.
    const before = comments.filter(({ end }) => end <= node.start && /^[^,;]*$/.test(source.slice(end, node.start)))
    texts.push({
      text: literal,
      context: stringOf(property(options, 'context')) ?? '',
      files: [file],
      comments: before.filter(({ start }) => start > 0).map(({ value }) => value.replace(/^\*/, '').trim()),
      values: keysOf(values),
    })
  })
  return texts
}

/** Calls back for each node, parents first. */
export function visit(value: unknown, callback: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, callback)
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value && typeof value.type === 'string') callback(value as Node)
    for (const child of Object.values(value)) visit(child, callback)
  }
}

function stringOf(node: Node | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined
}

function properties(node: Node | undefined): { readonly key: { readonly name: string }; readonly value: Node }[] {
  return node?.type === 'ObjectExpression' ? (node['properties'] as ReturnType<typeof properties>) : []
}

function keysOf(node: Node | undefined): string[] {
  return properties(node).map(({ key }) => key.name)
}

function property(node: Node | undefined, name: string): Node | undefined {
  return properties(node).find(({ key }) => key.name === name)?.value
}
