// `npm run tunnels`: runs the board of the HTTP tunnels and prints it; `npm run tunnels -- gRPC` the rows with that word.
import { within } from '../support/wait.ts'
import { compareRow } from './board.ts'
import { SERVICES } from './row.ts'
import { rows } from './rows.ts'
import { startSites } from './world.ts'

const print = (line: string): unknown => process.stdout.write(`${line}\n`)
const ROW_MS = 20_000

const word = (process.argv[2] ?? '').toLowerCase()
const titled = rows.map((row) => ({ row, title: `${row.service}, client of ${row.client}: ${row.feature}` }))
const chosen = titled.filter(({ title }) => title.toLowerCase().includes(word))
const startedAt = performance.now()
await using sites = await startSites(SERVICES.filter((name) => chosen.some(({ row }) => row.service === name)))
print(`started in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
let failures = 0
for (const { row, title } of chosen) {
  const verdict = await within(ROW_MS, title, compareRow(row, sites)).catch((error: unknown) => ({
    is: 'failed' as const,
    error: String(error),
  }))
  if (verdict.is === 'failed' || verdict.is === 'different') failures += 1
  print(`${verdict.is.padEnd(10)}${title}`)
  if (verdict.is !== 'equal') print(`          ${JSON.stringify(verdict).slice(0, 6_000)}`)
}
print(`${chosen.length - failures} of ${chosen.length} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
process.exitCode = failures === 0 ? 0 : 1
