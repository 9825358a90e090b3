// What a recording may not do to who watches it: its output was made by a program that nobody here trusts. Sequences
// that are for a person at a terminal – links, titles, the clipboard, sounds, questions – have no effect.
import type { IDisposable, IFunctionIdentifier, Terminal } from '@xterm/xterm'

/**
 * Operating system commands (ECMA-48 section 8.3.89): titles, links, the clipboard, notes to the desktop, files. Colours
 * (4, 10–12, 104, 110–112) stay.
 */
const IGNORED_COMMANDS = [0, 1, 2, 5, 7, 8, 9, 50, 51, 52, 99, 133, 633, 777, 1337]
/** Questions that a terminal would answer, and changes of the window. */
const IGNORED_FUNCTIONS: readonly IFunctionIdentifier[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { final: 't' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
]

/** Makes a terminal deaf to them. */
export function guardScreen(terminal: Terminal): IDisposable[] {
  const { parser } = terminal
  return [
    ...IGNORED_COMMANDS.map((command) => parser.registerOscHandler(command, () => true)),
    ...IGNORED_FUNCTIONS.map((name) => parser.registerCsiHandler(name, () => true)),
    // Requests for settings (DECRQSS).
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => true),
  ]
}
