// Texts about what is pasted into terminals.
export const inputMessages = {
  paste: {
    linesTitle: (shown: string, lines: number, target: string) =>
      lines === 1 ? `Paste a line that runs at once into ${target}?` : `Paste ${shown} lines into ${target}?`,
    controlsTitle: (target: string) => `Paste control characters into ${target}?`,
    broadcastTitle: (target: string) => `Paste into ${target}?`,
    explained: {
      lines: 'The program in this terminal may run each line as soon as it arrives.',
      controls: 'This text contains characters that are not shown but act on the terminal. They are marked below.',
      broadcast: 'Your input is broadcast, so the text goes to each of the chosen panes.',
    },
    preview: 'Text to paste',
    cut: (characters: string) => `Only the beginning is shown; the text has ${characters} characters.`,
    rememberLines: 'Don’t ask again about several lines in this tab',
    rememberControls: 'Don’t ask again about control characters in this tab',
    asOneLine: 'Paste as one line',
    withoutControls: 'Paste without them',
    paste: 'Paste',
  },
} as const
