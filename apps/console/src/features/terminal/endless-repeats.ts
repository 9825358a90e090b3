// Control functions that a terminal does as often as a number says, up to 2,147,483,647 times: one of them would hold the
// page up for hours, whoever wrote it.
import type { IDisposable, IFunctionIdentifier, Terminal } from '@xterm/xterm'

/** ECMA-48 section 8.3: ICH, CHT, IL, DL, DCH, SU, SD, ECH, CBT, REP. */
const REPEATED: readonly IFunctionIdentifier[] = '@ILMPSTXZb'.split('').map((final) => ({ final }))
/** More often than there are cells in a line or lines on a screen makes no difference. */
const MOST_REPEATS = 1_000

/** Makes a terminal leave out those that would be done more than a thousand times. */
export function ignoreEndlessRepeats({ parser }: Terminal): IDisposable[] {
  const tooOften = (parameters: readonly (number | number[])[]): boolean =>
    parameters.flat().some((parameter) => parameter > MOST_REPEATS)
  return REPEATED.map((name) => parser.registerCsiHandler(name, tooOften))
}
