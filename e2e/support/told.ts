// What the product said is shown when a test fails: the reason is seldom in the test.
import { beforeEach, onTestFailed } from 'vitest'
import type { Running } from './running.ts'

type Processes = Readonly<Record<string, Running | undefined>>

/** Registers the hook; call it at the top of a file. `processes` is asked when a test has failed. */
export function showOnFailure(processes: () => Processes): void {
  beforeEach((context) => context.onTestFailed(() => show(processes())))
}

/** The same for one test that starts processes of its own. */
export function showWhenThisFails(processes: () => Processes): void {
  onTestFailed(() => show(processes()))
}

function show(processes: Processes): void {
  for (const [name, running] of Object.entries(processes)) {
    process.stderr.write(`--- ${name}:\n${running?.said() ?? 'was not started'}\n`)
  }
}
