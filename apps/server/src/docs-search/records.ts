// The records that the documentation's build left for search: one for each heading and block of text.
import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'

export const LEVELS = ['lvl0', 'lvl1', 'lvl2', 'lvl3', 'lvl4', 'lvl5', 'lvl6'] as const
export type Level = (typeof LEVELS)[number]

const Hierarchy = z.partialRecord(z.enum(LEVELS), z.string())

const DocsRecord = z.object({
  objectID: z.string(),
  /** Path with its anchor, from the root of the site's host. */
  url: z.string(),
  type: z.enum([...LEVELS, 'content']),
  content: z.string().nullable(),
  /** What a page is about, of its first heading's record: found by, not shown. */
  about: z.string().optional(),
  hierarchy: Hierarchy,
  position: z.number(),
})
export type DocsRecord = z.infer<typeof DocsRecord>

/** The records of a file with the time at which it was written; undefined while the site is not built. */
export async function readRecords(file: string): Promise<readonly DocsRecord[] | undefined> {
  try {
    return z.array(DocsRecord).parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** When a file was written, in milliseconds; 0 when it is not there. */
export async function writtenAt(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
