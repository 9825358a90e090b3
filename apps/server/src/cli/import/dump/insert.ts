// INSERT statements as `pg_dump --column-inserts` writes them.
import type { Values } from './copy-text.ts'
import { NAMES, QUALIFIED, RowFlaw, namesIn, utf8 } from './text.ts'

export interface Insert {
  /** Name of the table, with that of its schema before it. */
  readonly table: string
  /** Undefined: the statement names none. */
  readonly columns: readonly string[] | undefined
  /** What follows `VALUES`: {@link rowsOf} reads it. */
  readonly values: string
}

const HEAD = new RegExp(
  String.raw`^\s*INSERT\s+INTO\s+(${QUALIFIED})\s*(?:${NAMES})?\s*(?:OVERRIDING\s+\w+\s+VALUE\s+)?VALUES\s*`,
  'i',
)
/** A text, a text with escapes, or a bare word such as a number; with a cast. */
const VALUE =
  /\s*(?:'([^']*(?:''[^']*)*)'|[eE]'([^'\\]*(?:(?:''|\\[^])[^'\\]*)*)'|([-+.\w]+))(?:::[\w" .[\]]+)?\s*([,)])/y
const BETWEEN = /\s*(,\s*\(|(?:ON\s+CONFLICT\s+DO\s+NOTHING\s*)?$)/iy

/** @returns undefined for another statement */
export function insertOf(statement: string): Insert | undefined {
  const head = HEAD.exec(statement)
  if (!head) return undefined
  const [all, table = '', columns] = head
  return {
    table: namesIn(table).join('.'),
    columns: columns === undefined ? undefined : namesIn(columns),
    values: statement.slice(all.length),
  }
}

/** @throws {RowFlaw} for values that are no literals */
export function rowsOf(values: string): Values[] {
  const rows: Values[] = []
  if (!values.startsWith('(')) throw new RowFlaw('Its values are not written as literals.')
  let at = 1
  for (;;) {
    const row: (string | null)[] = []
    for (let isLast = false; !isLast;) {
      VALUE.lastIndex = at
      const found = VALUE.exec(values)
      if (!found) throw new RowFlaw('Its values are not written as literals.')
      row.push(valueOf(found))
      isLast = found[4] === ')'
      at = VALUE.lastIndex
    }
    rows.push(row)
    BETWEEN.lastIndex = at
    const between = BETWEEN.exec(values)
    if (!between) throw new RowFlaw('Its values are not written as literals.')
    if (!between[0].includes('(')) return rows
    at = BETWEEN.lastIndex
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function valueOf([, text, escaped, bare]: RegExpExecArray): string | null {
  if (text !== undefined) return utf8(text.replaceAll("''", "'"))
  if (escaped !== undefined) {
    return utf8(
      escaped.replaceAll(/''|\\([^])/g, (all, code?: string) =>
        code === undefined ? all.slice(1) : (ESCAPES[code] ?? code),
      ),
    )
  }
  return bare?.toUpperCase() === 'NULL' ? null : (bare ?? null)
}
