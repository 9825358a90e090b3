// Runs several candidates interleaved, so that the machine's other load affects all of them alike.

export interface Candidate {
  readonly name: string
  /** Measures once. */
  measure(): Promise<number>
}

/**
 * One discarded warm-up round, then `repeats` rounds. Each round starts with another candidate, so that none always
 * follows the same one.
 * @returns the values by name, in the order of the rounds: values of one index belong together
 */
export async function interleave(
  candidates: readonly Candidate[],
  repeats: number,
  progress: (name: string, value: number) => void = () => undefined,
): Promise<Map<string, number[]>> {
  const values = new Map<string, number[]>(candidates.map(({ name }) => [name, []]))
  for (let round = -1; round < repeats; round += 1) {
    const first = Math.max(round, 0) % candidates.length
    for (const candidate of [...candidates.slice(first), ...candidates.slice(0, first)]) {
      const value = await candidate.measure()
      if (round < 0) continue
      values.get(candidate.name)?.push(value)
      progress(candidate.name, value)
    }
  }
  return values
}
