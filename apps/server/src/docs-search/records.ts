// Search records written by the documentation's build: one per heading and block of text.
import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'

export const LEVELS = ['lvl0', 'lvl1', 'lvl2', 'lvl3', 'lvl4', 'lvl5', 'lvl6'] as const
export type Level = (typeof LEVELS)[number]

const Hierarchy = z.partialRecord(z.enum(LEVELS), z.string())

const DocsRecord = z.object({
  objectID: z.string(),
  /** Path with its anchor, relative to the site's host. */
  url: z.string(),
  type: z.enum([...LEVELS, 'content']),
  content: z.string().nullable(),
  /** Topics of a page, on the record of its first heading: searched but not shown. */
  about: z.string().optional(),
  hierarchy: Hierarchy,
  position: z.number(),
})
export type DocsRecord = z.infer<typeof DocsRecord>

/** Reads the records of a file; undefined while the site is not built. */
export async function readRecords(file: string): Promise<readonly DocsRecord[] | undefined> {
  try {
    return z.array(DocsRecord).parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Modification time of a file in milliseconds; 0 when it does not exist. */
export async function writtenAt(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
