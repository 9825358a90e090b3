// Waiting for something to become true: tests never sleep for a guessed time.
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Asks again and again until there is an answer: undefined, null and false mean "not yet".
 * @param what for the failure's text
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  patienceMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== null && answer !== false) return answer
    if (Date.now() > deadline) throw new Error(`it did not happen within ${patienceMs / 1_000} s: ${what}`)
    await pause(50)
  }
}

/** The promise's outcome, or a failure when there is none in time. */
export function within<T>(patienceMs: number, what: string, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const failed = new Error(`it did not happen within ${patienceMs / 1_000} s: ${what}`)
  const timer = setTimeout(() => reject(failed), patienceMs)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
