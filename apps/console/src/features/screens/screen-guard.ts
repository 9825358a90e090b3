// Neutralizes escape sequences in recordings, whose output is untrusted. Sequences meant for a person at a terminal –
// links, titles, clipboard, bell, queries – have no effect.
import type { IDisposable, IFunctionIdentifier, Terminal } from '@xterm/xterm'

/**
 * Operating system commands (ECMA-48 section 8.3.89): titles, links, the clipboard, notifications, files. Colours
 * (4, 10–12, 104, 110–112) are kept.
 */
const IGNORED_COMMANDS = [0, 1, 2, 5, 7, 8, 9, 50, 51, 52, 99, 133, 633, 777, 1337]
/** Queries that a terminal would answer, and window operations. */
const IGNORED_FUNCTIONS: readonly IFunctionIdentifier[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { final: 't' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
]

/** Makes a terminal ignore them. */
export function guardScreen(terminal: Terminal): IDisposable[] {
  const { parser } = terminal
  return [
    ...IGNORED_COMMANDS.map((command) => parser.registerOscHandler(command, () => true)),
    ...IGNORED_FUNCTIONS.map((name) => parser.registerCsiHandler(name, () => true)),
    // Setting queries (DECRQSS).
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => true),
  ]
}
