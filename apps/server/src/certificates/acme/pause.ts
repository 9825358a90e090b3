// Waiting between two looks at what the authority is doing.
import type { Clock } from '@bowline/base/clock'
import { AcmeError } from './errors.ts'

/** @throws {AcmeError} when the signal ends the wait */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel()
      reject(new AcmeError('The server stops, or the order took too long.'))
    }
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
