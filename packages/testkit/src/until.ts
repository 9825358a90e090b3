// Waits in tests for asynchronous effects. Programs that run outside of Vitest poll by e2e/support/wait.ts.
import { vi } from 'vitest'

/** Generous: reached only when nothing happens, however busy the machine is. */
const TIMEOUT_MS = 15_000

/**
 * Polls until the result is truthy.
 * @param look may be asynchronous
 * @returns the first truthy value
 * @throws {Error} when there is none within 15 seconds
 */
export const until: typeof vi.waitUntil = (look, options = {}) =>
  vi.waitUntil(look, typeof options === 'number' ? options : { timeout: TIMEOUT_MS, interval: 5, ...options })
