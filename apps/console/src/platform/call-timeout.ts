// Timeout of API calls.

const CALL_TIMEOUT_MS = 20_000

/** Aborts with a TimeoutError after the call timeout, or when `given` aborts first. */
export function callTimeout(given?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS)
  return given ? AbortSignal.any([given, timeout]) : timeout
}
