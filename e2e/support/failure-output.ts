// Prints the product's output when a test fails, because the reason is seldom in the test.
import { beforeEach, onTestFailed } from 'vitest'
import type { Running } from './running.ts'

type Processes = Readonly<Record<string, Running | undefined>>

/** Registers the hook; call at the top of a file. `processes` is called after a failed test. */
export function showOnFailure(processes: () => Processes): void {
  beforeEach((context) => context.onTestFailed(() => show(processes())))
}

/** The same for a single test that starts its own processes. */
export function showWhenThisFails(processes: () => Processes): void {
  onTestFailed(() => show(processes()))
}

function show(processes: Processes): void {
  for (const [name, running] of Object.entries(processes)) {
    process.stderr.write(`--- ${name}:\n${running?.output() ?? 'was not started'}\n`)
  }
}
