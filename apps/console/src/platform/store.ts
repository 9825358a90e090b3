// A value that React can watch: what `useSyncExternalStore` needs, and nothing more.

export interface Store<T> {
  readonly get: () => T
  /** Replaces the value and tells everybody who listens; setting the same value tells nobody. */
  readonly set: (value: T) => void
  /** @returns the function that ends the subscription */
  readonly subscribe: (listener: () => void) => () => void
}

export function createStore<T>(initial: T): Store<T> {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
