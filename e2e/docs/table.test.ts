// Checks that every test named in README.md exists.
import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../support/product.ts'

it('finds every test that the table of behaviours names', async () => {
  const files = new Map<string, string>()
  for (const part of ['e2e/docs', 'apps/docs/src', 'apps/server/src/docs-search']) {
    for (const name of await readdir(join(root, part), { recursive: true })) {
      if (name.endsWith('.ts')) files.set(basename(name), await readFile(join(root, part, name), 'utf8'))
    }
  }
  const table = await readFile(join(root, 'e2e/docs/README.md'), 'utf8')
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (Sentence|Number|Behaviour|---) /.test(line))
  const missing: string[] = []
  let named = 0
  for (const row of rows) {
    const parts = [...row.matchAll(/`((?:[\w-]+\/)*[\w-]+(?:\.test)?\.ts)`|(?<!\*)\*([^*]+)\*(?!\*)/g)]
    let text = ''
    if (!parts.some(([, , name]) => name !== undefined)) missing.push(`no test in: ${row}`)
    for (const [, file, name] of parts) {
      if (file !== undefined) text = files.get(basename(file)) ?? ''
      else if (name !== undefined) {
        named += 1
        if (!text.includes(name)) missing.push(name)
      }
    }
  }
  expect(missing).toEqual([])
  expect(named).toBeGreaterThan(60)
})
