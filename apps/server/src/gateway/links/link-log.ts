// Lines about the links of devices. A key that two machines have displaces its own link again and again: such a device gets
// some lines a minute, and the next one says how many there were meanwhile.
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Log } from '../../platform/log.ts'

type Event = 'link.up' | 'link.down' | 'link.displaced' | 'link.handed-over'

/** Lines of one device: twenty at once, which is more than a restart of all nodes writes, then two a minute. */
const LINES = { burst: 20, perSecond: 2 / 60 }

export class LinkLog {
  readonly #log: Log
  readonly #lines: RateLimiter
  /** Lines that were left out since the last one. */
  readonly #unlogged = new Map<DeviceUid, number>()

  constructor(log: Log, clock: Pick<Clock, 'monotonic'>) {
    this.#log = log
    this.#lines = new RateLimiter(clock, LINES)
  }

  write(event: Event, device: DeviceUid, fields: Readonly<Record<string, unknown>>): void {
    const before = this.#unlogged.get(device) ?? 0
    if (!this.#lines.take(device)) {
      this.#unlogged.set(device, before + 1)
      return
    }
    this.#unlogged.delete(device)
    const level = event === 'link.displaced' ? 'warn' : 'info'
    this.#log[level](event, { device, ...fields, ...(before === 0 ? {} : { unlogged: before }) })
  }
}
