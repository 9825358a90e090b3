// Texts of broadcast input.
import { i18n } from '../../../platform/language/i18n.ts'

export const broadcastMessages = {
  start: i18n._('Broadcast input to several panes'),
  stop: i18n._('Stop broadcasting'),
  on: (chosen: number, all: number) =>
    chosen < 2
      ? i18n._('Broadcast: choose the panes that get what you type.')
      : i18n._('Broadcast: what you type goes to {chosen} of {all} panes.', { chosen, all }),
  all: i18n._('Choose all'),
  choose: (pane: string) => i18n._('Send what you type to {pane}', { pane }),
  target: (count: number) => i18n._('{count} panes', { count }),
  ended: i18n._('Broadcasting has stopped, because the tab changed.'),
} as const
