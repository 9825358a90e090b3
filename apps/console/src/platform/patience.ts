// How long a call may take before people are told that the server does not answer.

const PATIENCE_MS = 30_000

/** Aborts with a TimeoutError when patience ends, or when `given` aborts before. */
export function patience(given?: AbortSignal): AbortSignal {
  const end = AbortSignal.timeout(PATIENCE_MS)
  return given ? AbortSignal.any([given, end]) : end
}
