// `npm run matrix`: runs the whole board, prints it and writes it as data for the docs. `npm run matrix -- tmux` runs the
// rows whose client or feature has that word, and writes nothing. `npm run matrix -- --times 400 --at-once 20 --row tmux`
// runs each of them 400 times, 20 at a time; with `--keep`, for each row that the docs have no such counts of.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { canMakeDevices } from '../support/device.ts'
import { root } from '../support/product.ts'
import { type Verdict, compareRow } from './board.ts'
import { openCounts } from './kept-counts.ts'
import { guessesPasswords, printRepeated } from './print-repeated.ts'
import { rows } from './rows.ts'
import { startSites } from './sites.ts'
import { clientVersions } from './versions.ts'

const DATA = join(root, 'apps/docs/data/conformance.json')
const COUNTS = join(root, 'apps/docs/data/conformance-repeated.json')
const MARKS = { equal: 'ok', different: 'DIFFERENT', failed: 'FAILED', 'not run': 'not run' } as const

const print = (line: string): unknown => process.stdout.write(`${line}\n`)

if (!canMakeDevices) {
  process.stderr.write('The board needs root: it makes an account in a view of /etc of its own.\n')
  process.exit(1)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    row: { type: 'string' },
    times: { type: 'string' },
    'at-once': { type: 'string' },
    keep: { type: 'boolean' },
  },
})
const word = (values.row ?? positionals[0] ?? '').toLowerCase()
const chosen = rows.filter(({ client, feature }) => `${client}: ${feature}`.toLowerCase().includes(word))
if (values.times !== undefined) {
  const how = { times: counted('times', values.times), atOnce: counted('at-once', values['at-once'] ?? '1') }
  const kept = values.keep ? await openCounts(COUNTS, how) : undefined
  let allWell = true
  for (const some of [chosen.filter((row) => !guessesPasswords(row)), chosen.filter(guessesPasswords)]) {
    if (some.length > 0 && !(await printRepeated(some, how, kept))) allWell = false
  }
  process.exit(allWell ? 0 : 1)
}

await using sites = await startSites()
const board: { client: string; feature: string; verdict: Verdict['is'] }[] = []
let client = ''
for (const row of chosen) {
  if (row.client !== client) print(`\n${(client = row.client)}`)
  const verdict = await compareRow(row, sites)
  board.push({ client, feature: row.feature, verdict: verdict.is })
  print(`  ${MARKS[verdict.is].padEnd(10)}${row.feature}${explained(verdict)}`)
}
const equal = board.filter(({ verdict }) => verdict === 'equal').length
print(`\n${equal} of ${board.length} rows give the same result through Bowline as with a plain sshd.`)
if (word === '') {
  await mkdir(dirname(DATA), { recursive: true })
  await writeFile(DATA, `${JSON.stringify({ clients: clientVersions(), rows: board }, undefined, 2)}\n`)
  print(`Written to ${DATA.slice(root.length + 1)}`)
}
process.exitCode = equal === board.length ? 0 : 1

/** @throws {Error} when it is not a whole number from 1 to 100,000 */
function counted(option: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= 100_000) return value
  throw new Error(`--${option} must be a whole number from 1 to 100,000`)
}

function explained(verdict: Verdict): string {
  if (verdict.is === 'not run') return `: needs ${verdict.missing.join(', ')}`
  if (verdict.is === 'failed') return `\n    on ${verdict.on}: ${verdict.error}`
  if (verdict.is === 'different') return `\n    ${JSON.stringify({ sshd: verdict.sshd, bowline: verdict.bowline })}`
  return ''
}
