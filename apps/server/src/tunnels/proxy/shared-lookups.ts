// Lookups of many requests at once: a page that loads a hundred files asks a hundred times for the same tunnel.

/**
 * Shares lookups of the same key: while one is under way, all that are asked for meanwhile wait for it and share the next
 * one. So no answer is older than its request, unlike with a cache, and what has ended is never found again.
 */
export function shareLookups<Key, Value>(find: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const underWay = new Map<Key, Promise<Value>>()
  const next = new Map<Key, Promise<Value>>()

  function start(key: Key): Promise<Value> {
    const found = find(key)
    underWay.set(key, found)
    const over = (): void => {
      if (underWay.get(key) === found) underWay.delete(key)
    }
    found.then(over, over)
    return found
  }

  return (key) => {
    const current = underWay.get(key)
    if (!current) return start(key)
    const known = next.get(key)
    if (known) return known
    const follow = (): Promise<Value> => {
      next.delete(key)
      return start(key)
    }
    const shared = current.then(follow, follow)
    next.set(key, shared)
    return shared
  }
}
