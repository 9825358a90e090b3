// Waits in tests for what the server does beside them.
import { vi } from 'vitest'

/** Generous: a test fails by it only when nothing comes, however busy the machine is. */
const TIMEOUT_MS = 15_000

/**
 * Looks again and again until there is something.
 * @param look may be asynchronous
 * @returns the first truthy value
 * @throws {Error} when there is none within 15 seconds
 */
export const until: typeof vi.waitUntil = (look, options = {}) =>
  vi.waitUntil(look, typeof options === 'number' ? options : { timeout: TIMEOUT_MS, interval: 20, ...options })
