// Turns of expensive work of namespaces: each does one piece at a time, and only some namespaces do at once.
import { Semaphore } from '@bowline/base/semaphore'
import { fail } from '@bowline/contract/errors'
import type { TenantId } from '@bowline/contract/schemas/common'

export interface TurnLimits {
  /** Pieces of work of one namespace that may wait; further ones are refused. */
  readonly waiting: number
  /** Namespaces that work at once, and pieces of work of all that wait for their turn. */
  readonly namespaces: { readonly atOnce: number; readonly waiting: number }
}

export class NamespaceTurns {
  readonly #own = new Map<TenantId, Semaphore>()
  readonly #waiting: number
  readonly #all: Semaphore

  constructor({ waiting, namespaces }: TurnLimits) {
    this.#waiting = waiting
    this.#all = new Semaphore(namespaces.atOnce, namespaces.waiting)
  }

  /**
   * Runs work when no other one of the namespace runs on this node.
   * @param work takes connections of the database itself
   * @throws {BowlineError} TOO_MANY_REQUESTS when too much work waits
   */
  async run<T>(tenant: TenantId, work: () => Promise<T>): Promise<T> {
    const own = this.#own.get(tenant) ?? new Semaphore(1, this.#waiting)
    this.#own.set(tenant, own)
    const inAll = () => this.#all.run(async () => ({ result: await work() }), tenant)
    try {
      const done = await own.run(inAll)
      return done ? done.result : fail('TOO_MANY_REQUESTS', { seconds: 1 })
    } finally {
      if (own.idle) this.#own.delete(tenant)
    }
  }
}
