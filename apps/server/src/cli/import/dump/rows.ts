// The rows of a dump, table by table.
import { ConfigError } from '@bowline/contract/config'
import { type Values, copyValues } from './copy-text.ts'
import { insertOf, rowsOf } from './insert.ts'
import { type Piece, piecesOf } from './pieces.ts'
import { type Statement, StatementReader } from './statements.ts'
import { NAMES, QUALIFIED, RowFlaw, namesIn } from './text.ts'

/** Of a row that is needed, in bytes: none comes near. */
export const MAX_ROW = 1_024 * 1_024

/** What becomes of the rows of one table. */
export interface RowTaker {
  /** False: its rows are counted and not read. */
  readonly isNeeded: boolean
  /** @param values as many as the table has columns */
  take(values: Values): void
  /** A row that cannot be read, or one of a table that is not needed. */
  pass(flaw?: string): void
}

/** @param columns undefined: the dump does not name them */
export type TakerOf = (table: string, columns: readonly string[] | undefined) => RowTaker

const COPY = new RegExp(String.raw`^\s*COPY\s+(${QUALIFIED})\s*(?:${NAMES})?\s+FROM\s+stdin\s*(.*)$`, 'is')
const SETTING = /^\s*SET\s+(client_encoding|standard_conforming_strings)\s*(?:=|TO)\s*'?(\w+)'?\s*$/i
const READ_SETTINGS: Readonly<Record<string, RegExp>> = {
  client_encoding: /^(utf-?8|sql_ascii)$/i,
  standard_conforming_strings: /^on$/i,
}

/**
 * Reads the rows of a dump.
 * @throws {ConfigError} when it is cut off, or nobody can tell what it says
 */
export async function readRows(chunks: AsyncIterable<Buffer>, takerOf: TakerOf): Promise<void> {
  const statements = new StatementReader()
  let copied: CopiedRows | undefined
  let startsLine = true
  let isCommand = false
  let skipsLine = false
  for await (const pieces of piecesOf(chunks)) {
    for (const piece of pieces) {
      if (skipsLine) {
        skipsLine = !piece.endsLine
      } else if (copied) {
        if (copied.read(piece)) copied = undefined
      } else {
        // Of psql: `\connect`, `\restrict`.
        if (startsLine) isCommand = piece.text.startsWith('\\') && statements.isIdle
        if (!isCommand) copied = begun(statements.read(piece.endsLine ? `${piece.text}\n` : piece.text), takerOf)
        // The rows begin with the next line.
        skipsLine = copied !== undefined && !piece.endsLine
      }
      startsLine = piece.endsLine
    }
  }
  if (copied || !statements.isIdle) throw new ConfigError(['The dump is cut off: it ends in the middle of a table.'])
}

/** @returns the rows that the last statement begins */
function begun(statements: readonly Statement[], takerOf: TakerOf): CopiedRows | undefined {
  for (const [i, statement] of statements.entries()) {
    requireReadable(statement)
    const copied = copyOf(statement, takerOf)
    // Rows begin with the next line, so that nothing can follow on this one.
    if (copied && i === statements.length - 1) return copied
    if (copied) throw new ConfigError(['The dump is not one of pg_dump: something follows COPY … FROM stdin.'])
    readInsert(statement, takerOf)
  }
  return undefined
}

function requireReadable({ text }: Statement): void {
  const [, name = '', value = ''] = SETTING.exec(text) ?? []
  const readable = READ_SETTINGS[name.toLowerCase()]
  if (!readable || readable.test(value)) return
  throw new ConfigError([
    `The dump has ${name} = ${value}. Make it again: pg_dump --encoding=UTF8, with standard_conforming_strings on.`,
  ])
}

function copyOf({ text }: Statement, takerOf: TakerOf): CopiedRows | undefined {
  const [, table, columns, options] = COPY.exec(text) ?? []
  if (table === undefined) return undefined
  const name = namesIn(table).join('.')
  if (options !== undefined && options.trim() !== '') {
    throw new ConfigError([`The rows of ${name} are not in the text format of COPY, which pg_dump writes.`])
  }
  const named = columns === undefined ? undefined : namesIn(columns)
  return new CopiedRows(takerOf(name, named), named?.length)
}

function readInsert({ text, isCut }: Statement, takerOf: TakerOf): void {
  const insert = insertOf(text)
  if (!insert) return
  const { table, columns, values } = insert
  const taker = takerOf(table, columns)
  if (!taker.isNeeded) return taker.pass()
  if (isCut) return taker.pass('It is longer than any that is needed.')
  try {
    for (const row of rowsOf(values)) give(taker, row, columns?.length)
  } catch (error) {
    if (!(error instanceof RowFlaw)) throw error
    taker.pass(error.message)
  }
}

function give(taker: RowTaker, values: Values, columns: number | undefined): void {
  if (values.length === columns) taker.take(values)
  else taker.pass(`It has ${values.length} values for ${columns ?? 0} columns.`)
}

/** Rows between COPY and the line `\.`. */
class CopiedRows {
  readonly #taker: RowTaker
  readonly #columns: number | undefined
  #kept = ''
  #size = 0

  constructor(taker: RowTaker, columns: number | undefined) {
    this.#taker = taker
    this.#columns = columns
  }

  /** @returns true with the last line */
  read({ text, endsLine }: Piece): boolean {
    const most = this.#taker.isNeeded ? MAX_ROW : END.length + 1
    if (this.#kept.length < most) this.#kept += text.slice(0, most - this.#kept.length)
    this.#size += text.length
    if (!endsLine) return false
    // A carriage return of a row itself is written as \r.
    const line = this.#size === this.#kept.length && this.#kept.endsWith('\r') ? this.#kept.slice(0, -1) : this.#kept
    const isWhole = this.#size === this.#kept.length
    this.#kept = ''
    this.#size = 0
    if (isWhole && line === END) return true
    this.#row(line, isWhole)
    return false
  }

  #row(line: string, isWhole: boolean): void {
    if (!this.#taker.isNeeded) return this.#taker.pass()
    if (!isWhole) return this.#taker.pass(`It is longer than ${MAX_ROW} bytes.`)
    try {
      give(this.#taker, copyValues(line), this.#columns)
    } catch (error) {
      if (!(error instanceof RowFlaw)) throw error
      this.#taker.pass(error.message)
    }
  }
}

const END = String.raw`\.`
