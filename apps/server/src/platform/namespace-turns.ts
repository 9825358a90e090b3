// Turns of expensive work of namespaces: each does a few pieces at a time, and all together only some more.
import { Semaphore } from '@bowline/base/semaphore'
import { fail } from '@bowline/contract/errors'
import type { TenantId } from '@bowline/contract/schemas/common'

interface Limits {
  /** Pieces of work at once. */
  readonly atOnce: number
  /** Further ones that wait; those beyond are refused. */
  readonly waiting: number
}

export interface TurnLimits {
  /** Limits of each namespace. */
  readonly own: Limits
  /** Limits of all namespaces together. */
  readonly all: Limits
}

export class NamespaceTurns {
  readonly #own = new Map<TenantId, Semaphore>()
  readonly #limits: Limits
  readonly #all: Semaphore

  constructor({ own, all }: TurnLimits) {
    this.#limits = own
    this.#all = new Semaphore(all.atOnce, all.waiting)
  }

  /**
   * Runs work in its turn.
   * @param work takes connections of the database itself
   * @throws {BowlineError} TOO_MANY_REQUESTS when too much work waits
   */
  async run<T>(tenant: TenantId, work: () => Promise<T>): Promise<T> {
    const done = await this.tryRun(tenant, async () => ({ result: await work() }))
    return done ? done.result : fail('TOO_MANY_REQUESTS', { seconds: 1 })
  }

  /**
   * Runs work in its turn.
   * @param source where it comes from: within a namespace, sources take turns
   * @returns undefined when too much work waits
   */
  async tryRun<T>(tenant: TenantId, work: () => Promise<T>, source = ''): Promise<T | undefined> {
    const own = this.#own.get(tenant) ?? new Semaphore(this.#limits.atOnce, this.#limits.waiting)
    this.#own.set(tenant, own)
    try {
      return await own.run(() => this.#all.run(work, tenant), source)
    } finally {
      if (own.idle) this.#own.delete(tenant)
    }
  }
}
