// Calls into the embedding program. Its failures affect nothing beyond the call itself.

/** Asks for a decision; a throw or a rejected promise is undefined, the caller's "no". */
export async function ask<T>(question: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await question()
  } catch {
    return undefined
  }
}

/** Notifies; a throw is the embedding program's own problem. */
export function notify(call: () => void): void {
  try {
    call()
  } catch {
    // The connection goes on as if the callback were absent.
  }
}
