// Whether keys of this browser are unlocked, for the shell: it does not load the vault.
import { createStore } from '../platform/store.ts'

/** Locks the keys; undefined while none are unlocked. */
export const lockKeys = createStore<(() => void) | undefined>(undefined)
