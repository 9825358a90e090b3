// Calls that wait until the person has proven by a second factor that it is they. The dialog belongs to the shell.
import { createStore, type Store } from '../platform/store.ts'

/** Kind of the call that waits for the proof. */
export type ProofReason = 'read' | 'change'

export interface ProofRequests {
  /** Why the person is asked; undefined while they are not. */
  readonly reason: Store<ProofReason | undefined>
  /** Asks the person; calls that ask meanwhile share the answer. @returns false when they decline */
  ask(reason: ProofReason): Promise<boolean>
  /** Ends the question. */
  settle(isProven: boolean): void
}

export function createProofRequests(): ProofRequests {
  const reason = createStore<ProofReason | undefined>(undefined)
  let waiting: PromiseWithResolvers<boolean> | undefined
  return {
    reason,
    ask(wanted) {
      waiting ??= Promise.withResolvers<boolean>()
      // One answer serves both; the change is the weightier reason.
      if (reason.get() !== 'change') reason.set(wanted)
      return waiting.promise
    },
    settle(isProven) {
      waiting?.resolve(isProven)
      waiting = undefined
      reason.set(undefined)
    },
  }
}
