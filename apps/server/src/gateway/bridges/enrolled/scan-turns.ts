// Turns of the SSH servers that are asked for their host keys. A silent one is waited for half a minute, and whoever has
// an install key may connect any number of them from any number of addresses: a namespace has half of the turns at most.
import { Semaphore } from '@bowline/base/semaphore'
import type { TenantId } from '@bowline/contract/schemas/common'
import { sourceKey } from '../../../platform/network/address.ts'

/** Servers of all namespaces that are asked at once, and how many wait: a fleet comes back together. */
const ALL = { atOnce: 64, waiting: 20_000 }
const OF_NAMESPACE = { atOnce: 32, waiting: 20_000 }

export class ScanTurns {
  readonly #own = new Map<TenantId, Semaphore>()
  readonly #all = new Semaphore(ALL.atOnce, ALL.waiting)

  /**
   * Runs a scan in its turn: namespaces take turns, and within one its sources.
   * @param source address of the device
   * @returns what the scan resolves with; undefined when too many wait
   */
  async run<T>(tenant: TenantId, source: string, scan: () => Promise<T>): Promise<T | undefined> {
    const own = this.#own.get(tenant) ?? new Semaphore(OF_NAMESPACE.atOnce, OF_NAMESPACE.waiting)
    this.#own.set(tenant, own)
    try {
      return await own.run(() => this.#all.run(scan, tenant), sourceKey(source))
    } finally {
      if (own.idle) this.#own.delete(tenant)
    }
  }
}
