// The tabs, as the workspace keeps and others show them.
import type { Layout } from './layout/layout.ts'

export interface Tab {
  readonly id: string
  /** Given by the person; undefined: the device's. */
  readonly name: string | undefined
  readonly layout: Layout
  /** The focused pane. */
  readonly focused: string
}

export interface WorkspaceState {
  readonly tabs: readonly Tab[]
  readonly active: string | undefined
  /** True when a closed tab can be opened again. */
  readonly canReopen?: boolean
}
