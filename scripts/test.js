// `npm test`: installs if needed, builds what is stale, runs every test suite and prints how long each took. Arguments
// go to vitest: `npm test -- --project server` runs one suite, `npm test -- e2e/main-job` one file.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ensureInstalled } from './checkout/install.js'
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
/** More than these are no weather. */
const MAX_REPEATED_FILES = 5
const SLOWEST_FILES = 15
let reports = 0
const totals = { passed: 0, failed: 0, skipped: 0 }
const skipped = []
const retried = []
const failures = []
const times = []
const fileTimes = []
const args = process.argv.slice(2)
const suites = args.length
  ? [args]
  : ['packages', 'server', 'agent', 'console', 'docs', 'e2e'].map((name) => ['--project', name])
for (const suite of suites) run(suite)
rmSync(folder, { recursive: true, force: true })

console.log('The slowest files:')
for (const [name, seconds] of fileTimes.toSorted(([, one], [, other]) => other - one).slice(0, SLOWEST_FILES)) {
  console.log(`${seconds.toFixed(0).padStart(5)} s  ${relative(root, name)}`)
}
console.log('The suites:')
for (const [name, seconds] of times) console.log(`${seconds.toFixed(0).padStart(5)} s  ${name}`)
for (const name of skipped) console.log(`skipped: ${name}`)
for (const [name, error] of retried) console.log(`passed at its second try only: ${name}\n${error}`)
// Last, where the end of a long log shows them.
for (const [name, error] of failures) console.log(`failed: ${name}\n${error}`)
if (skipped.length && process.env.CI === 'true') console.log('With CI=true a skipped test counts as failed.')
console.log(
  `tests: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped${retried.length ? `, ${retried.length} at the second try` : ''}`,
)
process.exit(totals.failed || (skipped.length && process.env.CI === 'true') || totals.passed === 0 ? 1 : 0)

/**
 * Runs one suite and adds its counts. A suite that ends without a report counts as one failure. With CI=true files that
 * failed run once more by themselves: a machine that others use may stand still for seconds. They are named, as what
 * needs its second try has a defect.
 */
function run(suite) {
  const started = Date.now()
  const first = vitest(suite)
  const failed = first.files.filter(hasFailed).map((file) => file.name)
  const repeats = process.env.CI === 'true' && failed.length > 0 && failed.length <= MAX_REPEATED_FILES
  const second = repeats ? vitest(failed) : { status: first.status, files: [] }
  times.push([suite.join(' '), (Date.now() - started) / 1000])
  const failuresBefore = totals.failed
  const again = new Map(second.files.map((file) => [file.name, file]))
  for (const file of first.files) {
    fileTimes.push([file.name, (file.endTime - file.startTime) / 1000])
    const last = again.get(file.name) ?? file
    add(last)
    if (hasFailed(last)) failures.push([file.name, errorsOf(last)])
    else if (again.has(file.name)) retried.push([file.name, errorsOf(file)])
  }
  // An error outside of every test: no file tells of it.
  const unexplained = second.status !== 0 || (first.status !== 0 && failed.length === 0)
  if (!unexplained || totals.failed > failuresBefore) return
  totals.failed += 1
  failures.push([suite.join(' '), 'It failed outside of every test; its output above says how.'])
}

function errorsOf(file) {
  const ofTests = file.assertionResults.flatMap((test) =>
    (test.failureMessages ?? []).map((message) => `${test.fullName}\n${message}`),
  )
  return [file.message, ...ofTests].filter(Boolean).join('\n')
}

/** @returns vitest's exit status, and the files of its report; none when it left no report */
function vitest(args) {
  reports += 1
  const report = join(folder, `${reports}.json`)
  const { status } = spawnSync(
    node,
    ['scripts/run.js', 'vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile=${report}`, ...args],
    { stdio: 'inherit', env },
  )
  try {
    return { status, files: JSON.parse(readFileSync(report, 'utf8')).testResults }
  } catch {
    return { status: status || 1, files: [] }
  }
}

function hasFailed(file) {
  return file.status === 'failed' || file.assertionResults.some((test) => test.status === 'failed')
}

function add(file) {
  const counts = { passed: 0, failed: 0 }
  for (const test of file.assertionResults) {
    if (test.status === 'passed') counts.passed += 1
    else if (test.status === 'failed') counts.failed += 1
    else {
      totals.skipped += 1
      skipped.push(test.fullName)
    }
  }
  totals.passed += counts.passed
  // A file can fail before its first test.
  totals.failed += counts.failed || (hasFailed(file) ? 1 : 0)
}
