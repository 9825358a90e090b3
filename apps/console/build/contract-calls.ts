// The parts of the contract that the console's build keeps. Of an operation, its method and path: that is what a client sends;
// schemas of answers, permissions and summaries are for the server and the documentation. Of the schemas, those that a
// page names: making one has no other effect, which bundlers cannot know.
import { type Plugin, parseSync } from 'vite'

const CONTRACT = /packages\/contract\/src\/.*\.ts$/
const SENT = new Set(['method', 'path'])
const DROPPED = 'params|query|body|response|errors|summary|access|headers|stream|status'
/** Names that a module of the console imports from operations: `{ devices as operations, type Device }`. */
const IMPORTED = /import\s*\{([^}]*)\}\s*from\s*'@bowline\/contract\/operations\/[^']*'/g
/** A function of the module, which ends at the start of a line. */
const PROCESSOR = /^export const (\w+(?:Processor|JSONSchemaMethod)) = [^\n]*=> \{\n(?:(?!\};).*\n)*\};/gm

/** Drops what no client sends, and fails on a module of the console that reads it. */
export function contractCalls(): Plugin {
  return {
    name: 'contract-calls',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /(?:packages\/contract|apps\/console)\/src\/.*\.tsx?$/ },
      handler(code, id) {
        if (CONTRACT.test(id)) return { code: callsOf(code, id), map: null }
        const read = droppedPart(code)
        if (read !== undefined) this.error(`${id} reads ${read}, which the build drops: import that schema by its name.`)
        return null
      },
    },
  }
}

/** Schemas describe themselves as JSON Schema for the documentation only, yet each kind of them brings the code for it. */
export function withoutJsonSchemas(): Plugin {
  return {
    name: 'without-json-schemas',
    apply: 'build',
    transform: {
      filter: { id: /node_modules\/zod\/v4\/core\/(json-schema-processors|to-json-schema)\.js$/ },
      handler: (code) => ({ code: code.replaceAll(PROCESSOR, 'export const $1 = () => undefined;'), map: null }),
    },
  }
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * A module of the contract with `method` and `path` as the only properties of each `operation({ … })`, and with its
 * constants marked as free of side effects.
 */
export function callsOf(code: string, id: string): string {
  const { program, errors } = parseSync(id, code)
  if (errors[0]) throw new Error(`${id}: ${errors[0].message}`)
  const edits: Edit[] = []
  const insert = (at: number, text: string) => edits.push({ start: at, end: at, text })
  for (const { start, end } of program.body.flatMap(constantsOf)) {
    insert(start, '/* @__PURE__ */ (() => (')
    insert(end, '))()')
  }
  walk(program, (node) => {
    if (node['type'] !== 'CallExpression' || nameOf(node['callee']) !== 'operation') return
    const [definition] = node['arguments'] as { type: string; properties: (Span & { key?: unknown })[] }[]
    if (definition?.type !== 'ObjectExpression') throw new Error(`${id}: an operation is not written as an object`)
    for (const { start, end, key } of definition.properties) {
      // A spread has no key, and may hold them.
      if (key === undefined || SENT.has(nameOf(key) ?? '')) continue
      edits.push({ start, end: end + (/^\s*,/.exec(code.slice(end))?.[0].length ?? 0), text: '' })
    }
  })
  return edits
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((rest, { start, end, text }) => rest.slice(0, start) + text + rest.slice(end), code)
}

type Span = Pick<Edit, 'start' | 'end'>
type Statement = ReturnType<typeof parseSync>['program']['body'][number]

/** Values of the constants that a statement at the top of a module makes by calls. */
function constantsOf(statement: Statement): Span[] {
  const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declared?.type !== 'VariableDeclaration') return []
  return declared.declarations.flatMap(({ id, init }) => {
    const made = init?.type === 'TSAsExpression' ? init.expression : init
    const isMade = made?.type === 'CallExpression' || made?.type === 'ObjectExpression'
    return init && isMade && id.type === 'Identifier' ? [init] : []
  })
}

/** Part of an operation, beside method and path, that a module of the console reads: `views.create.body`. */
export function droppedPart(code: string): string | undefined {
  const names = [...code.matchAll(IMPORTED)]
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.trim().split(/\s+as\s+/).at(-1) ?? '')
    .filter((name) => /^[a-z]\w*$/.test(name))
  if (names.length === 0) return undefined
  return new RegExp(String.raw`(?<![\w.'"/])(?:${names.join('|')})\.\w+\.(?:${DROPPED})\b`).exec(code)?.[0]
}

function nameOf(node: unknown): string | undefined {
  return isRecord(node) && node['type'] === 'Identifier' ? String(node['name']) : undefined
}

function walk(node: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (Array.isArray(node)) for (const one of node) walk(one, visit)
  else if (isRecord(node)) {
    visit(node)
    for (const child of Object.values(node)) walk(child, visit)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
