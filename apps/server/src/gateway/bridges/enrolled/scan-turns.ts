// Turns of the SSH servers that are asked for their host keys. A silent one is waited for half a minute, and whoever has
// an install key may connect any number of them from any number of addresses: a namespace has half of the turns at most.
import type { TenantId } from '@bowline/contract/schemas/common'
import { sourceKey } from '../../../platform/network/address.ts'
import { NamespaceTurns } from '../../../platform/namespace-turns.ts'

/** A fleet comes back together. */
const WAITING = 20_000

export class ScanTurns {
  readonly #turns = new NamespaceTurns({ own: { atOnce: 32, waiting: WAITING }, all: { atOnce: 64, waiting: WAITING } })

  /**
   * Runs a scan in its turn: namespaces take turns, and within one its sources.
   * @param source address of the device
   * @returns what the scan resolves with; undefined when too many wait
   */
  run<T>(tenant: TenantId, source: string, scan: () => Promise<T>): Promise<T | undefined> {
    return this.#turns.tryRun(tenant, scan, sourceKey(source))
  }
}
