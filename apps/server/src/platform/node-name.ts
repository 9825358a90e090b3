// The name of this server process, kept over restarts.
import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The name of this node: made once per data folder, so that a restart finds the rows of the previous run. */
export async function nodeName(dataFolder: string): Promise<string> {
  const file = join(dataFolder, 'node-id')
  const found = await readFile(file, 'utf8').catch(() => '')
  if (found.trim() !== '') return found.trim()
  const name = randomUUID()
  await writeFile(file, `${name}\n`)
  return name
}
