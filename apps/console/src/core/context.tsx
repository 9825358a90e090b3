// React access to the runtime: hooks for pages and components. They never create any part of it.
import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react'
import { type Permission, tagsGiving } from '@bowline/contract/roles'
import type { Connectivity } from '../auth/connectivity.ts'
import type { Person, SessionState } from '../auth/session.ts'
import type { LiveState } from '../live/live-connection.ts'
import type { Store } from '../platform/store.ts'
import { holds } from './own-rights.ts'
import type { Runtime } from './runtime.ts'

export const RuntimeContext = createContext<Runtime | undefined>(undefined)

export function useRuntime(): Runtime {
  const runtime = use(RuntimeContext)
  if (!runtime) throw new Error('useRuntime is used outside of RuntimeContext.')
  return runtime
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}

export function useSessionState(): SessionState {
  return useStore(useRuntime().session.state)
}

/** The signed-in person; undefined between signing out and leaving the page. */
export function usePerson(): Person | undefined {
  const state = useSessionState()
  return state.kind === 'signed-in' ? state.person : undefined
}

/**
 * True when the signed-in person has a permission, by their role or one of the namespace's own. The server decides; this only
 * disables buttons.
 * @param device on which a role that is limited to its tags suffices; absent: on everything
 */
export function useMay(permission: Permission, device?: { readonly tags: readonly string[] } | null): boolean {
  const person = usePerson()
  if (!person?.role) return false
  if (holds(person, permission)) return true
  return device ? tagsGiving(person.grants, permission).some((tag) => device.tags.includes(tag)) : false
}

/** As {@link useMay}, for many devices. */
export function useMayOn(permission: Permission): (device: { readonly tags: readonly string[] }) => boolean {
  const isEverywhere = useMay(permission)
  const tags = tagsGiving(usePerson()?.grants ?? [], permission)
  return (device) => isEverywhere || tags.some((tag) => device.tags.includes(tag))
}

/** The stream opens while the first page is drawn: of a store that changes meanwhile, React would draw all of it once more. */
export function useLiveState(): LiveState {
  const { state } = useRuntime().live
  const [shown, setShown] = useState(state.get)
  useEffect(() => {
    const follow = () => setShown(state.get())
    follow()
    return state.subscribe(follow)
  }, [state])
  return shown
}

export function useConnectivity(): Connectivity {
  return useStore(useRuntime().watch.state)
}
