// The long form of the fuzz tests: node scripts/run.js packages/ssh/test/support/fuzz-long.ts [rounds] [seed]
import { fuzzBytes, fuzzConnection, fuzzSignIn } from './fuzz.ts'

const rounds = Number(process.argv[2] ?? 20_000)
const seed = Number(process.argv[3] ?? 1)

for (const run of [fuzzBytes, fuzzSignIn, fuzzConnection]) {
  const started = performance.now()
  const tally = await run(rounds, seed)
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  const megabytes = Math.round(process.memoryUsage.rss() / 1e6)
  process.stdout.write(`${run.name}: ${rounds} connections, ${seconds} s, RSS ${megabytes} MB\n`)
  for (const [reason, count] of [...tally].toSorted((a, b) => b[1] - a[1]))
    process.stdout.write(`  ${count} ${reason}\n`)
  if ([...tally.keys()].some((reason) => reason.endsWith('/internal-error'))) process.exitCode = 1
}
