// A minimal observable value for `useSyncExternalStore`.

export interface Store<T> {
  readonly get: () => T
  /** Replaces the value and notifies the subscribers, unless the value is the same. */
  readonly set: (value: T) => void
  /** @returns unsubscribe */
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
