// Terminal of a command. Results go to stdout, as sentences or JSON; errors go to stderr, one line each.
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Reads all of stdin as text. */
  read(): Promise<string>
  /** Asks for a secret that is not shown; only where stdin is a terminal. */
  readonly askSecret?: ((prompt: string) => Promise<string>) | undefined
  /** Asks a question; only where stdin is a terminal. */
  readonly ask?: ((prompt: string) => Promise<string>) | undefined
  print(line: string): void
  complain(line: string): void
}

/** Ends a command with a status of its own; the message goes to stderr. */
export class ExitStatus extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'ExitStatus'
    this.status = status
  }
}

/** The `--json` option of every command. */
export interface Format {
  readonly json?: boolean
}

/**
 * Prints a result.
 * @param value output of `--json`, on one line
 * @param lines human-readable output
 */
export function show(terminal: Terminal, { json }: Format, value: unknown, lines: readonly string[]): void {
  for (const line of json ? [JSON.stringify(value)] : lines) terminal.print(line)
}

/** A longer cell before the last column is cut: strangers choose the user names of failed logins. */
const MAX_CELL_CHARACTERS = 80

/** Formats rows as columns under their headings. */
export function table(headings: readonly string[], whole: readonly (readonly string[])[]): string[] {
  const rows = whole.map((row) => row.map((cell, i) => (i < row.length - 1 ? shortened(cell) : cell)))
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)))
  return [headings, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function shortened(cell: string): string {
  return cell.length <= MAX_CELL_CHARACTERS ? cell : `${cell.slice(0, MAX_CELL_CHARACTERS - 1)}…`
}

/**
 * Returns the argument, or for `-` the first line of stdin: secrets need not appear in a process list.
 * @param what names the secret where a person is asked
 */
export async function secretOrStdin(terminal: Terminal, given: string, what: string): Promise<string> {
  if (given !== '-') return given
  if (terminal.askSecret) return terminal.askSecret(`${what}: `)
  return (await terminal.read()).split(/\r?\n/)[0] ?? ''
}
