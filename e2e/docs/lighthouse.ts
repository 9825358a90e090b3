// `npm run lighthouse`: runs Lighthouse on the documentation, served by the product, in Debian's Chromium. `npm run
// lighthouse -- mobile faq` runs the rows with those words. Exits with 1 when a score is below 0.95.
import { buildStale } from '../../scripts/build.ts'
import { PRESETS, startLighthouse } from '../support/lighthouse.ts'
import { startServer } from '../support/server.ts'

const PAGES = [
  '',
  'user-guides/devices/connecting',
  'developers/openapi/community/devices-list',
  'self-hosted/configuring',
  'search?q=tag',
]
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const
const LEAST = 0.95

const print = (line: string): unknown => process.stdout.write(`${line}\n`)

const words = process.argv.slice(2)
await buildStale(['docs'])
const server = await startServer()
const chromium = await startLighthouse()
let low = 0
try {
  print(`${'page'.padEnd(52)}${CATEGORIES.map((name) => name.padStart(16)).join('')}   LCP ms   KiB`)
  for (const [preset, config] of PRESETS) {
    for (const page of PAGES) {
      const row = `${preset} /${page}`
      if (!words.every((word) => row.includes(word))) continue
      const { categories, audits } = await chromium.judge(`${server.origin}/docs/${page}`, config)
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
  await chromium[Symbol.asyncDispose]()
  await server.remove()
}
if (low > 0) print(`\n${low} scores are below ${LEAST}.`)
process.exitCode = low > 0 ? 1 : 0
