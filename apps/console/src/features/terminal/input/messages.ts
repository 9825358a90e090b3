// Texts about what is pasted into terminals.
import { i18n } from '../../../platform/language/i18n.ts'

export const inputMessages = {
  paste: {
    linesTitle: (lines: number, target: string) =>
      i18n._(
        '{lines, plural, =1 {Paste a line that runs at once into {target}?} one {Paste # line into {target}?} other {Paste # lines into {target}?}}',
        { lines, target },
      ),
    longTitle: (characters: string, target: string) =>
      i18n._('Paste {characters} characters into {target}?', { characters, target }),
    controlsTitle: (target: string) => i18n._('Paste control characters into {target}?', { target }),
    broadcastTitle: (target: string) => i18n._('Paste into {target}?', { target }),
    explained: {
      lines: i18n._('The program in this terminal may run each line as soon as it arrives.'),
      long: i18n._('This is a long text. Make sure it is the text you meant to paste.'),
      controls: i18n._(
        'This text contains characters that are not shown but act on the terminal. They are marked below.',
      ),
      broadcast: i18n._('Your input is broadcast, so the text goes to each of the chosen panes.'),
    },
    preview: i18n._('Text to paste'),
    cut: (characters: string) =>
      i18n._('Only the beginning is shown; the text has {characters} characters.', { characters }),
    rememberLines: i18n._('Don’t ask again about several lines in this tab'),
    rememberLong: i18n._('Don’t ask again about long texts in this tab'),
    rememberControls: i18n._('Don’t ask again about control characters in this tab'),
    asOneLine: i18n._('Paste as one line'),
    withoutControls: i18n._('Paste without them'),
    paste: i18n._('Paste'),
  },
} as const
