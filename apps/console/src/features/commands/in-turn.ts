// Calls that the server limits: each waits for its turn.
import { ApiError } from '@bowline/contract/client'

/**
 * Repeats a call that is rate limited, each time after as long as the server says.
 * @param call its error, or the cause of that, is the answer of the server
 * @param signal ends the waiting: the last error is thrown then
 */
export async function inTurn<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      const seconds = limitedFor(error)
      if (seconds === undefined) throw error
      // Spread, so that those that wait do not come at once.
      await pause((seconds + Math.random()) * 1_000, signal)
      if (signal.aborted) throw error
    }
  }
}

/** Seconds until a call that is rate limited may be repeated; undefined: it is not. */
function limitedFor(error: unknown): number | undefined {
  const answer = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (!(answer instanceof ApiError) || answer.status !== 429) return undefined
  return Number(answer.headers.get('retry-after') ?? 1)
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
