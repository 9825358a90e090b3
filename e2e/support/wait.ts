// Polls for a condition, so that tests never sleep for a guessed time.
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Polls until there is an answer: undefined, null and false mean "not yet".
 * @param what for the failure message
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== null && answer !== false) return answer
    if (Date.now() > deadline) throw new Error(`it did not happen within ${timeoutMs / 1_000} s: ${what}`)
    await pause(50)
  }
}

/** Awaits a promise with a timeout. */
export function within<T>(timeoutMs: number, what: string, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const failed = new Error(`it did not happen within ${timeoutMs / 1_000} s: ${what}`)
  const timer = setTimeout(() => reject(failed), timeoutMs)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
