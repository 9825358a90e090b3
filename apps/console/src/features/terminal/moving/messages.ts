// Texts about moving panes and tabs.
import { i18n } from '../../../platform/language/i18n.ts'

export const movingMessages = {
  movePane: i18n._('Move pane…'),
  moveTab: i18n._('Move into a pane…'),
  paneTitle: i18n._('Move the pane'),
  tabTitle: i18n._('Move the tab into a pane'),
  beside: i18n._('Beside'),
  ownTab: i18n._('In its own tab'),
  /** A pane, by its tab and device. */
  paneOf: (tab: string, device: string, number: string) =>
    i18n._('{tab}: {device} ({number})', { tab, device, number }),
  edge: i18n._('Side'),
  edges: {
    left: i18n._('Left', {}, { context: 'side of a pane' }),
    right: i18n._('Right', {}, { context: 'side of a pane' }),
    top: i18n._('Above', {}, { context: 'side of a pane' }),
    bottom: i18n._('Below', {}, { context: 'side of a pane' }),
  },
  move: i18n._('Move'),
  moved: i18n._('Moved.'),
} as const
