// Limits the key exchanges that a peer starts (RFC 4253 section 9): each costs us a key agreement and a signature, and the
// peer only a few hundred bytes.
import type { Clock } from '@bowline/base/clock'

/** Before the peer has signed in. */
const MAX_UNAUTHENTICATED = 2
/** Afterwards: at once, and then one for so much time or so many bytes of both directions. */
const BURST = 64
const MS_PER_REKEY = 1_000
/** A client that exchanges keys after so many bytes is never limited. */
const BYTES_PER_REKEY = 16 * 1024

export class RekeyBudget {
  readonly #clock: Pick<Clock, 'monotonic'>
  #left = MAX_UNAUTHENTICATED
  #isSignedIn = false
  #countedMs: number
  #countedBytes = 0

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
    this.#countedMs = clock.monotonic()
  }

  /** The peer has signed in. */
  signedIn(): void {
    this.#isSignedIn = true
    this.#left = BURST
  }

  /**
   * Counts an exchange that the peer starts.
   * @param bytes received and sent on the connection so far
   * @returns false when it is one too many
   */
  take(bytes: number): boolean {
    const now = this.#clock.monotonic()
    const earned = (now - this.#countedMs) / MS_PER_REKEY + (bytes - this.#countedBytes) / BYTES_PER_REKEY
    this.#countedMs = now
    this.#countedBytes = bytes
    if (this.#isSignedIn) this.#left = Math.min(BURST, this.#left + earned)
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
