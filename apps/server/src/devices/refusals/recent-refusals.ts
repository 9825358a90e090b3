// Refusals of registrations that are repeated at once: existing agents ask again every second, for ever, whatever they are
// answered. They get the same answer from memory, and leave the budget of their address to the agents beside them.
import type { BowlineError } from '@bowline/contract/errors'
import type { Clock } from '@bowline/base/clock'

/** How long a refusal is repeated, in milliseconds: as long as an operator waits for a change to have its effect. */
const LIFETIME_MS = 10_000
const MAX_REFUSALS = 10_000

export class RecentRefusals {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** In order of their time. */
  readonly #refusals = new Map<string, { readonly error: BowlineError; readonly at: number }>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** @returns the refusal of the last seconds */
  recall(key: string): BowlineError | undefined {
    const found = this.#refusals.get(key)
    if (!found) return undefined
    if (this.#clock.monotonic() - found.at < LIFETIME_MS) return found.error
    this.#refusals.delete(key)
    return undefined
  }

  remember(key: string, error: BowlineError): void {
    this.#refusals.delete(key)
    this.#refusals.set(key, { error, at: this.#clock.monotonic() })
    if (this.#refusals.size > MAX_REFUSALS) this.#refusals.delete(String(this.#refusals.keys().next().value))
  }
}
