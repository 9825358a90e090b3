/** A text of the sources, or one that the server sends. */
export interface SourceText {
  /** English, as an ICU message. */
  readonly text: string
  readonly context: string
  /** File that uses it, relative to `apps/console`. */
  readonly files: readonly string[]
  /** Comments before it in the sources, for translators. */
  readonly comments: readonly string[]
  /** Names of the values that the sources give. */
  readonly values: readonly string[]
}
