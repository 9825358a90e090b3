// What the product said is shown when a test fails: the reason is seldom in the test.
import { beforeEach } from 'vitest'
import type { Running } from './running.ts'

/** Registers the hook; call it at the top of a file. `processes` is asked when a test has failed. */
export function showOnFailure(processes: () => Readonly<Record<string, Running | undefined>>): void {
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => {
      for (const [name, running] of Object.entries(processes())) {
        process.stderr.write(`--- ${name}:\n${running?.said() ?? 'was not started'}\n`)
      }
    })
  })
}
