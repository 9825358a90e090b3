// Secrets that a server generates for itself: one file of the data folder each, readable by its owner only.
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * The secret of a file, made at first use (mode 0600).
 * @param path absolute
 * @returns the file's trimmed content; 64 hex digits (32 random bytes) for a new file
 */
export async function readSecretFile(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await makeSecretFile(path)
  await chmod(path, 0o600)
  return (await readFile(path, 'utf8')).trim()
}

/** Creates the file atomically, even if other processes start or stop concurrently. */
async function makeSecretFile(path: string): Promise<void> {
  if (existsSync(path)) return
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true })
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
}
