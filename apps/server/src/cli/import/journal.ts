// What a fetch has read so far: one line for each page, beside the file that it is for. A fetch that was broken off goes on
// from there.
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { ConfigError } from '@bowline/contract/config'
import { z } from 'zod'
import { Unreadable } from './file.ts'

const Head = z.object({
  format: z.literal('bowline-import-part'),
  version: z.literal(1),
  server: z.string(),
  tenant: z.string(),
})

const Part = z.object({
  list: z.string(),
  page: z.number().int(),
  isLast: z.boolean(),
  read: z.array(z.unknown()),
  unreadable: z.array(Unreadable),
})
/** A page of a list, as it is kept. */
export type Part = z.infer<typeof Part>

export interface Journal {
  /** Pages of a list, in their order. */
  of(list: string): readonly Part[]
  add(part: Part): Promise<void>
  /** Pages that were there at the beginning. */
  readonly found: number
  remove(): Promise<void>
}

/**
 * Opens the journal of a file, or begins one.
 * @throws {ConfigError} when it is of another server or namespace
 */
export async function openJournal(file: string, server: string, tenant: string): Promise<Journal> {
  const path = `${file}.part`
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n')
  // What was broken off while it was written is the last line, and not whole.
  const whole = lines.slice(0, -1).map((line) => parsed(line))
  const head = Head.safeParse(whole[0])
  if (head.success && (head.data.server !== server || head.data.tenant !== tenant)) {
    throw new ConfigError([`${path} was begun for ${head.data.server}, another namespace or server: remove it first.`])
  }
  const parts = head.success ? whole.slice(1).flatMap((line) => Part.safeParse(line).data ?? []) : []
  const text = [{ format: 'bowline-import-part', version: 1, server, tenant }, ...parts].map((line) =>
    JSON.stringify(line),
  )
  await writeFile(path, `${text.join('\n')}\n`, { mode: 0o600 })
  return {
    found: parts.length,
    of: (list) => parts.filter((part) => part.list === list),
    async add(part) {
      await appendFile(path, `${JSON.stringify(part)}\n`)
      parts.push(part)
    },
    remove: () => rm(path, { force: true }),
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
