// Which table of a dump is which, and what is kept of its rows.
import { ConfigError } from '@bowline/contract/config'
import type { Values } from './copy-text.ts'
import type { Names } from './map-file.ts'
import type { RowTaker, TakerOf } from './rows.ts'
import { KINDS, type Kind, TABLES } from './spellings.ts'

/** A row by our names of its columns; JSON columns are read, others are texts. Undefined: NULL, or there is no such column. */
export type Row = Readonly<Record<string, unknown>>

/** Of all rows that are kept together, in characters. */
const MOST_KEPT = 512 * 1_024 * 1_024
const SHOWN_FLAWS = 100

interface Source {
  readonly column: string
  readonly place: number
  /** Undefined: the column itself, not a member of it. */
  readonly member: string | undefined
}

/** Where each of our columns may be: the first that has a value counts. */
type Sources = ReadonlyMap<string, readonly Source[]>

export interface FoundTable {
  readonly name: string
  readonly kind: Kind | undefined
  rows: number
  /** Columns of a table that was recognised which are not taken. */
  readonly ignored: readonly string[]
}

export interface Tables {
  readonly takerOf: TakerOf
  readonly rows: Readonly<Record<Kind, Row[]>>
  readonly found: readonly FoundTable[]
  /** Rows that cannot be read, the first hundred of each table by themselves. */
  readonly flaws: readonly { readonly table: string; readonly name: string; readonly reason: string }[]
  /** @throws {ConfigError} naming the tables that are missing, and those that are there */
  requireAll(): void
}

/** @throws {ConfigError} from what it has: when tables are ambiguous, columns are missing or rows are too many */
export function openTables(names: Names): Tables {
  const rows = Object.fromEntries(KINDS.map((kind) => [kind, [] as Row[]])) as Record<Kind, Row[]>
  const found = new Map<string, FoundTable>()
  const flaws: { table: string; name: string; reason: string }[] = []
  let kept = 0

  function keep(kind: Kind, table: string, row: Row, size: number): void {
    kept += size
    if (rows[kind].length >= TABLES[kind].most || kept > MOST_KEPT) {
      throw new ConfigError([`${table} has more rows than this program takes.`])
    }
    rows[kind].push(row)
  }

  // Each INSERT statement asks again.
  const takers = new Map<string, RowTaker>()
  function takerOf(table: string, columns: readonly string[] | undefined): RowTaker {
    const key = JSON.stringify([table, columns])
    const taker = takers.get(key) ?? openTaker(table, columns)
    takers.set(key, taker)
    return taker
  }

  function openTaker(table: string, columns: readonly string[] | undefined): RowTaker {
    const kind = kindOf(table, names)
    const other = kind && [...found.values()].find((one) => one.kind === kind && one.name !== table)
    if (other) {
      throw new ConfigError([
        `${other.name} and ${table} may both be the table of ${kind}: name one by --map, as {"tables": {"${kind}": "${table}"}}.`,
      ])
    }
    const sources = kind && sourcesOf(kind, table, columns, names)
    const entry = found.get(table) ?? { name: table, kind, rows: 0, ignored: ignoredOf(columns ?? [], sources) }
    found.set(table, entry)
    return {
      isNeeded: kind !== undefined,
      take(values) {
        entry.rows += 1
        if (!kind || !sources) return
        const size = values.reduce((sum, value) => sum + (value?.length ?? 0), 0)
        keep(kind, table, rowOf(sources, values), size)
      },
      pass(flaw) {
        entry.rows += 1
        const before = flaws.filter((one) => one.table === table).length
        if (flaw !== undefined && before < SHOWN_FLAWS)
          flaws.push({ table, name: `row ${entry.rows} of ${table}`, reason: flaw })
      },
    }
  }

  return {
    takerOf,
    rows,
    flaws,
    get found() {
      return [...found.values()]
    },
    requireAll() {
      const present = new Set([...found.values()].map(({ kind }) => kind))
      const missing = KINDS.filter((kind) => 'isRequired' in TABLES[kind] && !present.has(kind))
      if (missing.length === 0) return
      throw new ConfigError([
        ...missing.map((kind) => {
          const known = names.tables[kind] ?? TABLES[kind].names.join(', ')
          return `The dump has no table of ${kind} (${known}): name it by --map, as {"tables": {"${kind}": "…"}}.`
        }),
        `It has ${[...found.keys()].join(', ') || 'no tables with rows'}.`,
      ])
    },
  }
}

const bare = (table: string): string => table.slice(table.lastIndexOf('.') + 1)

function kindOf(table: string, { tables }: Names): Kind | undefined {
  const named = KINDS.find((kind) => tables[kind] === table || tables[kind] === bare(table))
  if (named) return named
  return KINDS.find((kind) => {
    const spellings: readonly string[] = TABLES[kind].names
    return tables[kind] === undefined && spellings.includes(bare(table).toLowerCase())
  })
}

/** @throws {ConfigError} naming a required column that is missing, and the columns that are there */
function sourcesOf(kind: Kind, table: string, columns: readonly string[] | undefined, names: Names): Sources {
  if (columns === undefined) {
    throw new ConfigError([`The dump does not name the columns of ${table}: make it again with --column-inserts.`])
  }
  const sources = new Map<string, readonly Source[]>()
  for (const [ours, { names: known, isRequired }] of Object.entries(TABLES[kind].columns) as [
    string,
    { names: readonly string[]; isRequired?: true },
  ][]) {
    const given = names.columns[kind]?.[ours]
    const spellings = given === undefined ? known : [given]
    const present = spellings.flatMap((name) => sourceOf(name, columns) ?? [])
    if (present.length > 0) sources.set(ours, present)
    else if (isRequired || given !== undefined) {
      throw new ConfigError([
        `${table} has no column for ${ours} of ${kind} (${spellings.join(', ')}): name it by --map, as {"columns": {"${kind}": {"${ours}": "…"}}}.`,
        `It has ${columns.join(', ')}.`,
        ...('isRequired' in TABLES[kind] ? [] : [`{"tables": {"${kind}": null}} goes on without ${kind}.`]),
      ])
    }
  }
  return sources
}

function sourceOf(name: string, columns: readonly string[]): Source | undefined {
  const [column = '', ...members] = name.split('.')
  const place = columns.indexOf(column)
  return place < 0 ? undefined : { column, place, member: members.length > 0 ? members.join('.') : undefined }
}

function ignoredOf(columns: readonly string[], sources: Sources | undefined): string[] {
  const taken = new Set([...(sources?.values() ?? [])].flat().map(({ column }) => column))
  return sources ? columns.filter((column) => !taken.has(column)) : []
}

function rowOf(sources: Sources, values: Values): Row {
  const row: Record<string, unknown> = {}
  for (const [ours, places] of sources) {
    for (const { place, member } of places) {
      const value = values[place]
      if (value === null || value === undefined) continue
      row[ours] ??= member === undefined ? value : memberOf(value, member)
    }
  }
  return row
}

function memberOf(json: string, member: string): unknown {
  try {
    let at: unknown = JSON.parse(json)
    for (const part of member.split('.')) {
      at = typeof at === 'object' && at !== null && Object.hasOwn(at, part) ? Reflect.get(at, part) : undefined
    }
    return at ?? undefined
  } catch {
    return undefined
  }
}
