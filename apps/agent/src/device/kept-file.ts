// Small JSON files that the agent keeps beside its device key, readable by its account only.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type * as z from 'zod'

/**
 * @param remedy what removing a damaged file leads to, as the end of a sentence
 * @returns undefined when the file is missing
 * @throws {Error} when it exists and does not match the schema
 */
export function readKept<T>(path: string, schema: z.ZodType<T>, remedy: string): T | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(`${path} is damaged or of a newer version. Remove it to ${remedy}.`, { cause })
  }
}

/** Writes atomically. @throws {Error} when the file cannot be written */
export function writeKept(path: string, content: object): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
}
