// Archives of exports, opened with the system's own tar, for tests.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Opened {
  readonly path: string
  /** Names in it, in order. */
  readonly names: readonly string[]
  /** All rows of a table. */
  readonly rows: (table: string) => Promise<Record<string, unknown>[]>
  readonly text: (name: string) => Promise<string>
}

/** Unpacks an archive with tar, and checks every hash. @param folder for its files */
export async function unpackArchive(folder: string, bytes: Uint8Array): Promise<Opened> {
  const path = await mkdtemp(join(folder, 'open-'))
  const archive = join(folder, `${randomUUID()}.tar.gz`)
  await writeFile(archive, bytes)
  const { stdout } = await run('tar', ['--list', '--gzip', '--file', archive])
  await run('tar', ['--extract', '--gzip', '--file', archive, '--directory', path])
  await run('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: path })
  const names = stdout.trimEnd().split('\n')
  return {
    path,
    names,
    async rows(table) {
      const parts = names.filter((name) => name.startsWith(`tables/${table}.`)).sort()
      const texts = await Promise.all(parts.map((name) => readFile(join(path, name), 'utf8')))
      const lines = texts.join('').split('\n')
      if (lines.pop() !== '') throw new Error('the last row has no line end')
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    },
    text: (name) => readFile(join(path, name), 'utf8'),
  }
}
