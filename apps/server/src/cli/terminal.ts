// A command's terminal. Answers go to stdout, as sentences or as JSON; complaints go to stderr, one line each.
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** All of stdin as text. */
  read(): Promise<string>
  print(line: string): void
  complain(line: string): void
}

/** `--json` of every command. */
export interface Format {
  readonly json?: boolean
}

/**
 * Prints an answer.
 * @param value what `--json` prints, on one line
 * @param lines what people read
 */
export function show(terminal: Terminal, { json }: Format, value: unknown, lines: readonly string[]): void {
  for (const line of json ? [JSON.stringify(value)] : lines) terminal.print(line)
}

/** Rows under their headings, in columns. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)))
  return [headings, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A value typed as an argument, or the first line of stdin when `-` was: secrets need not be in a process list. */
export async function valueOrStdin(terminal: Terminal, given: string): Promise<string> {
  return given === '-' ? ((await terminal.read()).split(/\r?\n/)[0] ?? '') : given
}
