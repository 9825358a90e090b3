// Texts of broadcast input.
export const broadcastMessages = {
  start: 'Broadcast input to several panes',
  stop: 'Stop broadcasting',
  on: (chosen: number, all: number) =>
    chosen < 2
      ? 'Broadcast: choose the panes that get what you type.'
      : `Broadcast: what you type goes to ${chosen} of ${all} panes.`,
  all: 'Choose all',
  choose: (pane: string) => `Send what you type to ${pane}`,
  target: (count: number) => `${count} panes`,
  ended: 'Broadcasting has stopped, because the tab changed.',
} as const
