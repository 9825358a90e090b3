// Calls into the embedding program. Nothing it does can end more than what it was asked about.

/** Asks a question; a throw or a rejected promise is undefined, the caller's "no". */
export async function ask<T>(question: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await question()
  } catch {
    return undefined
  }
}

/** Tells something; a throw is the embedding program's own trouble. */
export function tell(call: () => void): void {
  try {
    call()
  } catch {
    // The connection goes on as if the callback were absent.
  }
}
