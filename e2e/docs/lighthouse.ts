// `npm run lighthouse`: runs Lighthouse on the documentation, served by the product, in Debian's Chromium. `npm run
// lighthouse -- mobile faq` runs the rows with those words. Exits with 1 when a score is below 0.95.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import lighthouse, { type Config, type Result, desktopConfig } from 'lighthouse'
import { chromium } from 'playwright-core'
import { buildStale } from '../../scripts/build.ts'
import { CHROMIUM, QUIET } from '../support/browser.ts'
import { startServer } from '../support/server.ts'

const PAGES = [
  '',
  'user-guides/devices/connecting',
  'developers/openapi/community/devices-list',
  'self-hosted/configuring',
  'search?q=tag',
]
const PRESETS: readonly (readonly [string, Config | undefined])[] = [
  ['mobile', undefined],
  ['desktop', desktopConfig],
]
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const
const LEAST = 0.95
const RUNS = 3

const print = (line: string): unknown => process.stdout.write(`${line}\n`)

const words = process.argv.slice(2)
await buildStale(['docs'])
const server = await startServer()
const profile = await mkdtemp(join(tmpdir(), 'bowline-lighthouse-'))
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: CHROMIUM,
  args: [...QUIET, '--remote-debugging-port=0'],
})
let low = 0
try {
  const port = Number((await readFile(join(profile, 'DevToolsActivePort'), 'utf8')).split('\n')[0])
  print(`${'page'.padEnd(52)}${CATEGORIES.map((name) => name.padStart(16)).join('')}   LCP ms   KiB`)
  for (const [preset, config] of PRESETS) {
    for (const page of PAGES) {
      const row = `${preset} /${page}`
      if (!words.every((word) => row.includes(word))) continue
      const { categories, audits } = await median(`${server.origin}/docs/${page}`, port, config)
      const scores = CATEGORIES.map((name) => categories[name]?.score ?? 0)
      low += scores.filter((score) => score < LEAST).length
      const lcpMs = audits['largest-contentful-paint']?.numericValue ?? 0
      const bytes = audits['total-byte-weight']?.numericValue ?? 0
      const cells = scores.map((score) => score.toFixed(2).padStart(16)).join('')
      print(`${row.padEnd(52)}${cells}${lcpMs.toFixed(0).padStart(9)}${(bytes / 1024).toFixed(0).padStart(6)}`)
      for (const name of CATEGORIES) {
        for (const { id, weight } of categories[name]?.auditRefs ?? []) {
          const audit = audits[id]
          if (weight === 0 || !audit || audit.score === null || audit.score >= LEAST) continue
          print(`    ${name}: ${id} ${audit.score} ${audit.displayValue ?? ''}`)
        }
      }
    }
  }
} finally {
  await browser.close()
  await server.remove()
  await rm(profile, { recursive: true, force: true })
}
if (low > 0) print(`\n${low} scores are below ${LEAST}.`)

/** The run with the median performance: other load on the machine distorts the score. */
async function median(address: string, port: number, config: Config | undefined): Promise<Result> {
  const results: Result[] = []
  for (let tries = 0; results.length < RUNS; tries += 1) {
    const run = await lighthouse(address, { port, logLevel: 'error' }, config)
    // Some traces lack a start event; Lighthouse asks for another run then.
    if (run && !run.lhr.runtimeError) results.push(run.lhr)
    else if (tries > RUNS) throw new Error(`${address}: ${run?.lhr.runtimeError?.message ?? 'no result'}`)
  }
  const speed = ({ categories }: Result): number => categories['performance']?.score ?? 0
  const middle = results.toSorted((a, b) => speed(a) - speed(b))[Math.floor(RUNS / 2)]
  if (!middle) throw new Error('no run')
  return middle
}
process.exitCode = low > 0 ? 1 : 0
