// What opens the terminal on the screen in a window of its own, while the terminals page is shown. By itself, so that the
// palette can ask without loading the terminals.
import { createStore } from '../../../platform/store.ts'

/** undefined: no terminal is on the screen. */
export const popOut = createStore<(() => void) | undefined>(undefined)
