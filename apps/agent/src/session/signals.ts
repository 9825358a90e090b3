// Maps signals to their SSH names (RFC 4254 sections 6.9 and 6.10).
import { constants } from 'node:os'

const NAMES = [
  'ABRT',
  'ALRM',
  'FPE',
  'HUP',
  'ILL',
  'INT',
  'KILL',
  'PIPE',
  'QUIT',
  'SEGV',
  'TERM',
  'USR1',
  'USR2',
] as const
/** Signals a client may send, and CONT: a stopped process must continue to handle its end. */
export type SignalName = (typeof NAMES)[number] | 'CONT'

const numbers = new Map<string, number>(NAMES.map((name) => [name, constants.signals[`SIG${name}`]]))
const names = new Map(
  [...numbers, ['CONT', constants.signals.SIGCONT] as const].map(([name, number]) => [number, name]),
)

/** OpenSSH's name for every signal without a name in RFC 4254. */
const UNNAMED = 'SIG@openssh.com'

/** The number of a signal that a client may send; undefined for any other name. */
export function signalNumber(name: string): number | undefined {
  return numbers.get(name)
}

/** The signal's name for kill(1); undefined for those that are never sent. */
export function signalName(number: number): string | undefined {
  return names.get(number)
}

/** The name for `exit-signal`. */
export function exitSignalName(number: number): string {
  const name = names.get(number)
  return name !== undefined && numbers.has(name) ? name : UNNAMED
}
