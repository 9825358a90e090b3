// Waiting for a person to approve a code of `bowline login` (RFC 8628). The server may be anybody's, and a proxy may be in
// between: neither makes the command ask faster than the standard says, nor does a short failure end it.
import { ApiError, createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import type { Output } from '@bowline/contract/operation'

const { programs } = operations

/** Least seconds between two questions, section 3.2. */
const LEAST_SECONDS = 5
/** A code that says it lives for longer is given up: seconds. */
const LONGEST_SECONDS = 3_600
/** Longest wait between two questions, whatever the server asks for: seconds. */
const SLOWEST_SECONDS = 60

export interface ApprovalDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/**
 * Asks until a person has decided, or the code has expired. Limits of the rate, failures of the server and of the network
 * are tried again.
 * @param code.interval seconds between two questions
 * @param code.expires_in seconds
 * @throws {ApiError} CODE_DENIED, CODE_EXPIRED and other refusals
 */
export async function awaitApproval(
  { now, wait }: ApprovalDeps,
  server: string,
  code: { readonly device_code: string; readonly interval: number; readonly expires_in: number },
): Promise<Output<typeof programs.token>> {
  const client = createClient({ origin: server })
  const end = now() + within(code.expires_in, 0, LONGEST_SECONDS) * 1_000
  let seconds = within(code.interval, LEAST_SECONDS, SLOWEST_SECONDS)
  for (;;) {
    try {
      return (await client.call(programs.token, { body: { device_code: code.device_code } })).body
    } catch (error) {
      if (!isPassing(error) || now() >= end) throw error
      // Section 3.5: five seconds more from then on.
      if (error instanceof ApiError && (error.code === 'CODE_TOO_FAST' || error.status === 429)) {
        seconds = Math.min(seconds + LEAST_SECONDS, SLOWEST_SECONDS)
      }
    }
    await wait(seconds * 1_000)
  }
}

/** True for an answer that may be another one later. */
function isPassing(error: unknown): boolean {
  // Whatever fetch throws: the server cannot be reached.
  if (!(error instanceof ApiError)) return error instanceof TypeError
  if (error.code === 'CODE_PENDING' || error.code === 'CODE_TOO_FAST') return true
  return error.status === 429 || error.status >= 500
}

function within(value: number, least: number, most: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(value, least), most) : least
}
