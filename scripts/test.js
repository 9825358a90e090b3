// `npm test`: installs if needed, builds what is stale, runs every test suite and prints how long each took. Arguments
// go to vitest: `npm test -- --project server` runs one suite, `npm test -- e2e/main-job` one file.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureInstalled } from './install.js'
import { nodeEnvironment, projectNode, root } from './project-node.js'

process.chdir(root)
ensureInstalled()
const node = projectNode()

// Tests choose their own settings; those of the calling shell must not reach them.
const env = nodeEnvironment(
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BOWLINE_'))),
)
const built = spawnSync(node, ['scripts/build.ts', 'console', `agent-${process.arch}`, 'docs'], {
  stdio: 'inherit',
  env,
})
if (built.status !== 0) process.exit(1)

const folder = mkdtempSync(join(tmpdir(), 'bowline-tests-'))
const totals = { passed: 0, failed: 0, skipped: 0 }
const skipped = []
const retried = []
const times = []
const args = process.argv.slice(2)
const suites = args.length
  ? [args]
  : ['packages', 'server', 'agent', 'console', 'docs', 'e2e'].map((name) => ['--project', name])
for (const suite of suites) run(suite)
rmSync(folder, { recursive: true, force: true })

for (const [name, seconds] of times) console.log(`${seconds.toFixed(0).padStart(5)} s  ${name}`)
for (const name of skipped) console.log(`skipped: ${name}`)
for (const [name, error] of retried) console.log(`passed at its second try only: ${name}\n${error}`)
if (skipped.length && process.env.CI === 'true') console.log('With CI=true a skipped test counts as failed.')
console.log(
  `tests: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped${retried.length ? `, ${retried.length} at the second try` : ''}`,
)
process.exit(totals.failed || (skipped.length && process.env.CI === 'true') || totals.passed === 0 ? 1 : 0)

/** Runs one suite and adds its counts. A suite that ends without a report counts as one failure. */
function run(suite) {
  const report = join(folder, `${times.length}.json`)
  const started = Date.now()
  const result = spawnSync(
    node,
    ['scripts/run.js', 'vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile=${report}`, ...suite],
    { stdio: 'inherit', env },
  )
  times.push([suite.join(' '), (Date.now() - started) / 1000])
  let outcome
  try {
    outcome = JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    totals.failed += 1
    return
  }
  totals.passed += outcome.numPassedTests
  const failures = outcome.numFailedTests || outcome.testResults.filter((file) => file.status === 'failed').length
  totals.failed += failures || (result.status === 0 ? 0 : 1)
  for (const file of outcome.testResults) {
    for (const test of file.assertionResults) {
      // A passed test with an error failed before.
      if (test.status === 'passed' && test.failureMessages?.length) {
        retried.push([test.fullName, test.failureMessages.join('\n')])
      }
      if (!['pending', 'skipped', 'todo', 'disabled'].includes(test.status)) continue
      totals.skipped += 1
      skipped.push(test.fullName)
    }
  }
}
