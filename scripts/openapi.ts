// Writes the OpenAPI documents of the editions: `npm run openapi`; with --check it only checks whether they are fresh.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openApiDocument } from '../packages/contract/src/openapi.ts'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'packages/contract/openapi')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const stale: string[] = []
for (const edition of ['community', 'cloud'] as const) {
  const file = join(folder, `${edition}.json`)
  const wanted = JSON.stringify(openApiDocument(`v${version}`, edition))
  // Compared as values: the layout of the file is up to the formatter.
  const found = existsSync(file) ? JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))) : ''
  if (found === wanted) continue
  stale.push(file)
  if (process.argv.includes('--check')) continue
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, wanted)
}
if (process.argv.includes('--check')) {
  for (const file of stale) console.error(`${file} is stale: run npm run openapi`)
  process.exit(stale.length ? 1 : 0)
}
if (stale.length) {
  const result = spawnSync(process.execPath, [join(root, 'scripts/run.js'), 'oxfmt', ...stale], { stdio: 'inherit' })
  process.exit(result.status ?? 1)
}
