// The view of all namespaces is for few: a new caller is a decision, made by adding it here.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** Sign-in, SSHID lookup and jobs get it from the composition root; the command line is the operator's. */
const CALLERS = ['cli/instance.ts', 'compose/server.ts']

it('only the listed files ask for the view of all namespaces', async () => {
  const source = fileURLToPath(new URL('..', import.meta.url))
  const files = (await readdir(source, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing(\/|[^/]*\.ts$)/.test(name),
  )
  const texts = await Promise.all(files.map((name) => readFile(join(source, name), 'utf8')))
  expect(files.filter((_, index) => /\.system\(\)/.test(texts[index] ?? '')).sort()).toEqual(CALLERS)
})
