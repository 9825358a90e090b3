// Runs the abuse suite and prints what each attack did to the server:
//   node scripts/run.js packages/ssh/test/abuse/print.ts [passes]
import { ATTACKS } from './attacks.ts'
import { startVictim } from './victim-process.ts'

using victim = await startVictim()
const megabytes = (bytes: number) => Math.round(bytes / 1e6)
for (let pass = Number(process.argv[2] ?? 1); pass > 0; pass -= 1) {
  for (const attack of ATTACKS) {
    const started = performance.now()
    const failure = await attack.run(victim).then(
      () => '',
      (error: unknown) => ` FAILED: ${String(error)}`,
    )
    const toll = await victim.settled()
    const causes = Object.entries(toll.causes).map(([cause, count]) => `${count} ${cause}`)
    process.stdout.write(
      `${attack.name}${failure}\n  ${Math.round(performance.now() - started)} ms; longest turn ` +
        `${toll.longestTurnMs.toFixed(1)} ms of processor, longest pause ${toll.longestPauseMs.toFixed(0)} ms by the clock; ` +
        `RSS ${megabytes(toll.rss)} MB, at most ${megabytes(toll.rssPeak)}; ended: ${causes.join(', ')}\n`,
    )
  }
}
