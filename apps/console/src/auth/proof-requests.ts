// Calls that wait until the person has proven by a second factor that it is they. The dialog belongs to the shell.
import { createStore, type Store } from '../platform/store.ts'

export interface ProofRequests {
  /** True while the person is asked. */
  readonly isAsking: Store<boolean>
  /** Asks the person; calls that ask meanwhile share the answer. @returns false when they decline */
  ask(): Promise<boolean>
  /** Ends the question. */
  settle(isProven: boolean): void
}

export function createProofRequests(): ProofRequests {
  const isAsking = createStore(false)
  let waiting: PromiseWithResolvers<boolean> | undefined
  return {
    isAsking,
    ask() {
      waiting ??= Promise.withResolvers<boolean>()
      isAsking.set(true)
      return waiting.promise
    },
    settle(isProven) {
      waiting?.resolve(isProven)
      waiting = undefined
      isAsking.set(false)
    },
  }
}
