// Who else is in the terminal of a pane.
import { useEffect, useState } from 'react'
import { useStore } from '../../../core/context.tsx'
import { createStore } from '../../../platform/store.ts'
import type { RemoteTerminal, Sharing } from '../connection/remote-terminal.ts'
import type { SharedPane } from './shared-pane.ts'

const NOT_SHARED = createStore<Sharing | undefined>(undefined)
const NOBODY = createStore<ReturnType<RemoteTerminal['typed']['get']>>(undefined)
/** For so long somebody counts as typing. */
const TYPES_MS = 2_000

/** Undefined while the pane has no session, or nobody has ever asked to join it. */
export function useSharing(pane: SharedPane): Sharing | undefined {
  return useStore(pane.remote()?.sharing ?? NOT_SHARED)
}

/** The guest who types at the moment. */
export function useTyping(pane: SharedPane): string | undefined {
  const typed = useStore(pane.remote()?.typed ?? NOBODY)
  const [over, setOver] = useState<typeof typed>()
  useEffect(() => {
    if (!typed) return undefined
    const timer = setTimeout(() => setOver(typed), TYPES_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return typed === over ? undefined : typed?.guest
}
