// Limits the connections that one namespace holds: its slow queries keep nobody else from the database.
import type { TenantId } from '@bowline/contract/schemas/common'

/** More calls of one namespace than this are not worth waiting for. */
const MAX_WAITING = 500

/** Answered as an overloaded database is. */
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
   * @returns gives it back; a second call does nothing
   * @throws {TooManyQueries} when too many wait already
   */
  take(tenant: TenantId): Promise<() => void>
}

/** @param most connections of one namespace at once */
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
        // The place goes on to whoever waits longest.
        if (next) return next()
        share.count -= 1
        if (share.count === 0) held.delete(tenant)
      }
    },
  }
}
