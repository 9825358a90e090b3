// Counts of rows that ran many times, kept as data of the docs: the whole board takes hours, so a run that is cut off goes
// on where it ended.
import { readFile, writeFile } from 'node:fs/promises'
import type { HowOften } from './repeat.ts'
import type { Row } from './row.ts'

/** How many of the runs gave the result most common with sshd. */
export interface Counts {
  readonly sshd: number
  readonly bowline: number
}

interface File {
  readonly times: number
  readonly atOnce: number
  /** By `client: feature`. */
  readonly rows: Readonly<Record<string, Counts>>
}

export interface KeptCounts {
  has(row: Row): boolean
  keep(row: Row, counts: Counts): Promise<void>
}

export const titleOf = ({ client, feature }: Row): string => `${client}: ${feature}`

/**
 * Opens a file of counts, which need not exist.
 * @throws {Error} when it has the counts of another number of times
 */
export async function openCounts(path: string, { times, atOnce }: HowOften): Promise<KeptCounts> {
  const file = await read(path)
  if (file && (file.times !== times || file.atOnce !== atOnce)) {
    throw new Error(`${path} has the counts of ${file.times} times, ${file.atOnce} at once; remove it first`)
  }
  const rows: Record<string, Counts> = { ...file?.rows }
  return {
    has: (row) => Object.hasOwn(rows, titleOf(row)),
    async keep(row, counts) {
      rows[titleOf(row)] = counts
      await writeFile(path, `${JSON.stringify({ times, atOnce, rows } satisfies File, undefined, 2)}\n`)
    },
  }
}

async function read(path: string): Promise<File | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as File
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
