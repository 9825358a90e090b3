// Limits how many of a resource are held at once, in total and by each holder.

export interface Share {
  /** Why nothing more is given: the name of the limit that is reached. */
  readonly refused?: string
  /** Gives it back; a second call does nothing. */
  readonly release: () => void
}

export interface Shares {
  /**
   * Takes one for every holder, or for none.
   * @param holders by the name of their limit
   */
  take(holders: Readonly<Record<string, string>>): Share
  readonly count: number
}

/**
 * @param total of all holders together
 * @param limits of one holder, by name
 */
export function createShares(total: number, limits: Readonly<Record<string, number>>): Shares {
  /** How many each holder has. Who has none is not in it, so that it does not grow for ever. */
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
