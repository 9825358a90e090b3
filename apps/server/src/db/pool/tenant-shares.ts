// Limits the connections held by one namespace, so that its slow queries block nobody else.
import type { TenantId } from '@bowline/contract/schemas/common'

/** Maximum of waiting calls per namespace. */
const MAX_WAITING = 500

/** Handled like an overloaded database. */
export class TooManyQueries extends Error {
  /** too_many_connections */
  readonly code = '53300'
  constructor() {
    super('Too many queries are waiting.')
    this.name = 'TooManyQueries'
  }
}

export interface TenantShares {
  /**
   * Waits until the namespace may have one more connection.
   * @returns release; a second call does nothing
   * @throws {TooManyQueries} when too many are waiting
   */
  take(tenant: TenantId): Promise<() => void>
}

/** @param most maximum of concurrent connections per namespace */
export function createTenantShares(most: number): TenantShares {
  const held = new Map<TenantId, { count: number; readonly waiting: (() => void)[] }>()
  return {
    async take(tenant) {
      const share = held.get(tenant) ?? { count: 0, waiting: [] }
      held.set(tenant, share)
      if (share.count < most) share.count += 1
      else if (share.waiting.length >= MAX_WAITING) throw new TooManyQueries()
      else await new Promise<void>((resolve) => share.waiting.push(resolve))
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        const next = share.waiting.shift()
        // The place passes to the longest waiting call.
        if (next) return next()
        share.count -= 1
        if (share.count === 0) held.delete(tenant)
      }
    },
  }
}
