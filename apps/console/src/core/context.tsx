// React access to the runtime: hooks for pages and components. They never create any part of it.
import { createContext, use, useSyncExternalStore } from 'react'
import { type Permission, roleMay } from '@bowline/contract/roles'
import type { Connectivity } from '../auth/connectivity.ts'
import type { Person, SessionState } from '../auth/session.ts'
import type { LiveState } from '../live/live-connection.ts'
import type { Store } from '../platform/store.ts'
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

/** True when the signed-in person's role has a permission. The server decides; this only disables buttons. */
export function useMay(permission: Permission): boolean {
  const role = usePerson()?.role
  return role !== undefined && role !== '' && roleMay(role, permission)
}

export function useLiveState(): LiveState {
  return useStore(useRuntime().live.state)
}

export function useConnectivity(): Connectivity {
  return useStore(useRuntime().watch.state)
}
