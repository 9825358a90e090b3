// The view of all namespaces is restricted: a new caller is a decision, made by listing it here.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** Sign-in, SSHID lookup and jobs get it from the composition root; the command line belongs to the operator. */
const CALLERS = ['cli/instance.ts', 'compose/server.ts']

it('restricts the view of all namespaces to the listed files', async () => {
  const source = fileURLToPath(new URL('..', import.meta.url))
  const files = (await readdir(source, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing(\/|[^/]*\.ts$)/.test(name),
  )
  const texts = await Promise.all(files.map((name) => readFile(join(source, name), 'utf8')))
  expect(files.filter((_, index) => /\.system\(\)/.test(texts[index] ?? '')).sort()).toEqual(CALLERS)
})
