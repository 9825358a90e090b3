// Broadcast of input: what is typed in one of the chosen panes of a tab goes to the others too. It never reaches a pane
// that the person has not chosen, and ends by itself when the tab changes in a way that could surprise.
import { type Store, createStore } from '../../../platform/store.ts'

export interface BroadcastState {
  readonly tab: string
  /** Ids of the chosen panes. */
  readonly chosen: readonly string[]
}

/** The part of a pane that is broadcast to. */
export interface BroadcastPane {
  /** True while its session takes input. */
  isRunning(): boolean
  /** Sends bytes to its session. */
  send(bytes: Uint8Array): void
}

/** The tab on the screen, with its panes. */
export interface ShownTab {
  readonly id: string
  readonly panes: readonly string[]
}

export interface Broadcast {
  readonly state: Store<BroadcastState | undefined>
  /** Begins in the tab on the screen, with one chosen pane. */
  start(pane: string): void
  /** Chooses a pane of the tab, or no longer. */
  toggle(pane: string): void
  /** Chooses every pane that is connected. */
  chooseAll(): void
  stop(): void
  /** The panes that input of a pane goes to beside itself; none unless it is chosen. */
  targetsOf(pane: string): readonly string[]
  /** Sends what was typed in a pane to the others. */
  relay(pane: string, bytes: Uint8Array): void
  /** The tabs, or what is in them, may have changed. */
  check(): void
}

export function createBroadcast(
  shown: () => ShownTab | undefined,
  paneOf: (id: string) => BroadcastPane | undefined,
): Broadcast {
  const state = createStore<BroadcastState | undefined>(undefined)
  /** Panes of the tab when it began. */
  let panes = ''

  const isRunning = (id: string): boolean => paneOf(id)?.isRunning() === true
  const choose = (chosen: readonly string[]): void => {
    const now = state.get()
    if (now && chosen.length !== now.chosen.length) state.set({ ...now, chosen })
  }

  const broadcast: Broadcast = {
    state,
    start(pane) {
      const tab = shown()
      if (!tab?.panes.includes(pane) || !isRunning(pane)) return
      panes = tab.panes.join(' ')
      state.set({ tab: tab.id, chosen: [pane] })
    },
    toggle(pane) {
      const { chosen = [] } = state.get() ?? {}
      if (chosen.includes(pane)) choose(chosen.filter((id) => id !== pane))
      else if (shown()?.panes.includes(pane) && isRunning(pane)) choose([...chosen, pane])
    },
    chooseAll: () => choose(shown()?.panes.filter(isRunning) ?? []),
    stop: () => state.set(undefined),
    targetsOf(pane) {
      broadcast.check()
      const { chosen = [] } = state.get() ?? {}
      return chosen.includes(pane) ? chosen.filter((id) => id !== pane) : []
    },
    relay(pane, bytes) {
      for (const id of broadcast.targetsOf(pane)) paneOf(id)?.send(bytes)
    },
    check() {
      const now = state.get()
      if (!now) return
      const tab = shown()
      // Another tab is on the screen, or panes came or went: what is chosen is no longer what is seen.
      if (tab?.id !== now.tab || tab.panes.join(' ') !== panes) return broadcast.stop()
      // A session that has ended, or waits for the network, would get the input late or in another shell.
      choose(now.chosen.filter(isRunning))
    },
  }
  return broadcast
}
