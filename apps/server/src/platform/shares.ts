// Limits how many of a resource are held at once, in total and by each holder.

export interface Share {
  /** Name of the limit that is reached, if the share was refused. */
  readonly refused?: string
  /** Releases the share; a second call does nothing. */
  readonly release: () => void
}

export interface Shares {
  /**
   * Takes one share for every holder, or for none.
   * @param holders by the name of their limit
   */
  take(holders: Readonly<Record<string, string>>): Share
  readonly count: number
}

/**
 * @param total limit of all holders together
 * @param limits limit per holder, by name
 */
export function createShares(total: number, limits: Readonly<Record<string, number>>): Shares {
  /** Shares of each holder. Holders without shares are removed, so that the map stays bounded. */
  const held = new Map<string, number>()
  let count = 0
  return {
    take(holders) {
      const keys = Object.entries(holders).map(([name, holder]) => [name, `${name} ${holder}`] as const)
      const full = keys.find(([name, key]) => (held.get(key) ?? 0) >= (limits[name] ?? total))
      if (full || count >= total) return { refused: full?.[0] ?? 'total', release: () => undefined }
      count += 1
      for (const [, key] of keys) held.set(key, (held.get(key) ?? 0) + 1)
      let isHeld = true
      return {
        release() {
          if (!isHeld) return
          isHeld = false
          count -= 1
          for (const [, key] of keys) {
            const left = (held.get(key) ?? 1) - 1
            if (left > 0) held.set(key, left)
            else held.delete(key)
          }
        },
      }
    },
    get count() {
      return count
    },
  }
}
