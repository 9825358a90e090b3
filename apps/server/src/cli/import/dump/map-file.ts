// The file of `--map`: names of tables and columns of a dump that are called otherwise.
import { readFile } from 'node:fs/promises'
import { ConfigError } from '@bowline/contract/config'
import { z } from 'zod'
import { KINDS, type Kind, TABLES } from './spellings.ts'

const Name = z.string().min(1).max(200)
/** Null: there is none, whatever the tables of the dump are called. */
const TableName = Name.nullable()
const columnsOf = (kind: Kind) =>
  z.strictObject(Object.fromEntries(Object.keys(TABLES[kind].columns).map((column) => [column, Name]))).partial()

const MapFile = z.strictObject({
  tables: z
    .strictObject(Object.fromEntries(KINDS.map((kind) => [kind, TableName])))
    .partial()
    .default({}),
  columns: z
    .strictObject(Object.fromEntries(KINDS.map((kind) => [kind, columnsOf(kind)])))
    .partial()
    .default({}),
})

/** Names of tables (with that of the schema or without), and of columns (`info.mac` is a member of a JSON column). */
export interface Names {
  readonly tables: Readonly<Record<string, string | null | undefined>>
  readonly columns: Readonly<Record<string, Readonly<Record<string, string | undefined>> | undefined>>
}

/**
 * @param file undefined: no name is another
 * @throws {ConfigError} naming what the file has wrong, and what may be named
 */
export async function readMapFile(file: string | undefined): Promise<Names> {
  if (file === undefined) return { tables: {}, columns: {} }
  let json: unknown
  try {
    json = JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw new ConfigError([`${file} cannot be read, or is not JSON.`])
  }
  const names = MapFile.safeParse(json)
  if (names.success) return names.data
  throw new ConfigError([
    ...names.error.issues.slice(0, 5).map(({ path, message }) => `${file}: ${path.join('.')}: ${message}.`),
    `Tables are ${KINDS.join(', ')}.`,
    ...KINDS.filter((kind) => names.error.issues.some(({ path }) => path.includes(kind))).map(
      (kind) => `Columns of ${kind} are ${Object.keys(TABLES[kind].columns).join(', ')}.`,
    ),
  ])
}
