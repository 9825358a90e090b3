// What commands have written on many devices, in bounded memory: most say the same, and that is kept once.

/** Characters of different outputs that are kept in full, all together. */
const MAX_TOTAL = 32 * 1_024 * 1_024
/** What is kept of each further one. */
const MAX_EACH = 1_024

export interface Kept {
  readonly output: string
  readonly isCut: boolean
}

export interface Outputs {
  /** @returns the same text for the same output, and its beginning once there is no room for all of it */
  readonly keep: (output: Kept) => Kept
}

/** @param most characters that are kept in full */
export function createOutputs(most: number = MAX_TOTAL): Outputs {
  const seen = new Map<string, string>()
  let total = 0
  return {
    keep({ output, isCut }) {
      const known = seen.get(output)
      if (known !== undefined) return { output: known, isCut }
      if (total + output.length <= most || output.length <= MAX_EACH) {
        total += output.length
        seen.set(output, output)
        return { output, isCut }
      }
      return { output: copyOf(output.slice(0, MAX_EACH)), isCut: true }
    },
  }
}

/** A part of a string keeps the whole of it in memory. */
const copyOf = (part: string): string => new TextDecoder().decode(new TextEncoder().encode(part))
