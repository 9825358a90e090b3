// Signals by the names that SSH gives them (RFC 4254 section 6.9 and 6.10).
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
export type SignalName = (typeof NAMES)[number]

const numbers = new Map<string, number>(NAMES.map((name) => [name, constants.signals[`SIG${name}`]]))
const names = new Map([...numbers].map(([name, number]) => [number, name]))

/** The number of a signal that a client may send; undefined for any other name. */
export function signalNumber(name: string): number | undefined {
  return numbers.get(name)
}

/** The name of a signal, when SSH has one. */
export function signalName(number: number): string | undefined {
  return names.get(number)
}
