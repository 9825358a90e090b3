// Turns of the changes that providers make. Those of one namespace would wait for its row anyway, each of them with a
// connection of the database that the calls of others need: here they wait without one.
import { Semaphore } from '@bowline/base/semaphore'
import { fail } from '@bowline/contract/errors'
import type { TenantId } from '@bowline/contract/schemas/common'

/** Changes of one namespace that may wait; further ones are refused, and providers repeat them. */
const WAITING = 20
/** Namespaces changed at once: fewer than there are connections. Further namespaces wait for their turn. */
const NAMESPACES = { atOnce: 4, waiting: 200 }

export class ScimTurns {
  readonly #own = new Map<TenantId, Semaphore>()
  readonly #all = new Semaphore(NAMESPACES.atOnce, NAMESPACES.waiting)

  /**
   * Runs a change when no other one of the namespace runs on this node.
   * @param change takes connections of the database itself
   * @throws {BowlineError} TOO_MANY_REQUESTS when too many changes wait
   */
  async run<T>(tenant: TenantId, change: () => Promise<T>): Promise<T> {
    const own = this.#own.get(tenant) ?? new Semaphore(1, WAITING)
    this.#own.set(tenant, own)
    const inAll = () => this.#all.run(async () => ({ result: await change() }), tenant)
    try {
      const done = await own.run(inAll)
      return done ? done.result : fail('TOO_MANY_REQUESTS', { seconds: 1 })
    } finally {
      if (own.idle) this.#own.delete(tenant)
    }
  }
}
