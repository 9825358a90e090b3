import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { silentLog } from '../platform/log.ts'
import { Bundles } from './bundles.ts'

let folder: string
let now = 0
const clock = { ...systemClock, now: () => now }

beforeEach(async () => {
  now = 0
  folder = await mkdtemp(join(tmpdir(), 'bowline-bundles-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Bundles with a maker script that logs each run and then executes `body`. */
async function bundlesMadeBy(body: string): Promise<Bundles> {
  const maker = join(folder, 'maker.mjs')
  await writeFile(
    maker,
    `import { appendFileSync, writeFileSync } from 'node:fs'
const [, , name] = process.argv
appendFileSync(${JSON.stringify(join(folder, 'runs'))}, name + ' ')
${body}
`,
  )
  return new Bundles({ bundles: folder, maker }, clock, silentLog)
}
const runs = () => readFile(join(folder, 'runs'), 'utf8')
const bundle = (arch: string) => join(folder, `bundle-linux-${arch}.tar.gz`)

it('builds a bundle once for concurrent requests in a checkout', async () => {
  const bundles = await bundlesMadeBy(`writeFileSync(${JSON.stringify(bundle('arm64'))}, '')`)
  const paths = await Promise.all([bundles.path('arm64'), bundles.path('arm64')])
  expect([...paths, await bundles.path('arm64')]).toEqual(Array(3).fill(bundle('arm64')))
  expect(await runs()).toBe('agent-arm64 ')
})

it('reports why a bundle cannot be built and retries after a minute', async () => {
  const bundles = await bundlesMadeBy(`throw new Error('npm pack failed: no network')`)
  const refused = { reason: 'npm pack failed: no network' }
  expect([await bundles.path('arm64'), await bundles.path('arm64')]).toEqual([refused, refused])
  expect(await runs()).toBe('agent-arm64 ')
  now += 60_001
  expect(await bundles.path('arm64')).toEqual(refused)
  expect(await runs()).toBe('agent-arm64 agent-arm64 ')
})

it('serves an earlier build when no newer one can be built', async () => {
  const bundles = await bundlesMadeBy(`process.exit(1)`)
  await appendFile(bundle('x64'), 'earlier')
  expect(await bundles.path('x64')).toBe(bundle('x64'))
})
