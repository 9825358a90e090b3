/** A program with its arguments. */
export interface CommandLine {
  /** Absolute. */
  readonly path: string
  /** Complete: argv[0] included. */
  readonly argv: readonly (string | Uint8Array)[]
}
