// Timeouts of API calls.
import type { Operation } from '@bowline/contract/operation'

const CALL_TIMEOUT_MS = 20_000
/** Somebody looks at placeholders meanwhile. */
const READ_TIMEOUT_MS = 12_000

/**
 * Aborts with a TimeoutError after the call timeout, or when `given` aborts first.
 * @param method of the call: what only reads is given up sooner, as it can be tried again
 */
export function callTimeout(given?: AbortSignal, method: Operation['method'] = 'POST'): AbortSignal {
  const timeout = AbortSignal.timeout(method === 'GET' ? READ_TIMEOUT_MS : CALL_TIMEOUT_MS)
  return given ? AbortSignal.any([given, timeout]) : timeout
}
