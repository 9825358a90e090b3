// How a board of existing agents runs its rows and says how they went.

/** Prints rows and counts them. */
export interface Board {
  /** @param run returns what was seen; a throw is a failure */
  row(name: string, run: () => Promise<string>): Promise<void>
  /** Prints the result. @returns exit code */
  end(): number
}

export function openBoard(print: (line: string) => unknown): Board {
  let rows = 0
  let failures = 0
  return {
    async row(name, run) {
      rows += 1
      try {
        print(`  ok      ${name} (${await run()})`)
      } catch (error) {
        failures += 1
        print(`  FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
    end() {
      print(`${rows - failures} of ${rows} rows are as they should be.`)
      return rows > 0 && failures === 0 ? 0 : 1
    },
  }
}

/** @throws {Error} with `what`, unless both are the same as JSON */
export function expect(what: string, seen: unknown, wanted: unknown): void {
  if (JSON.stringify(seen) !== JSON.stringify(wanted)) {
    throw new Error(`${what}: ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`)
  }
}
