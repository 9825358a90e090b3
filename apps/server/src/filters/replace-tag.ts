// Renames or removes a tag in what is for devices with it: firewall rules, public keys and install keys.

interface Tagged {
  readonly tags: readonly string[] | null
}

/** How a row of one kind is written, with its entry in the audit log. */
export interface TagEdits<Row, Name> {
  nameOf(row: Row): Name
  /** The row has no other tag: it would apply to every device or to none. */
  remove(row: Row): Promise<void>
  change(row: Row, tags: readonly string[]): Promise<void>
}

/** @param to new name of the tag; undefined: it is removed */
export function withTagReplaced(tags: readonly string[], tag: string, to: string | undefined): string[] {
  return tags.flatMap((one) => (one === tag ? (to ?? []) : one))
}

/**
 * Changes rows one after the other, so that their audit entries have the order of the rows.
 * @param rows that have the tag, locked in a transaction
 * @returns names of the rows
 */
export async function replaceTag<Row extends Tagged, Name>(
  rows: readonly Row[],
  tag: string,
  to: string | undefined,
  edits: TagEdits<Row, Name>,
): Promise<{ removed: Name[]; changed: Name[] }> {
  const removed: Name[] = []
  const changed: Name[] = []
  for (const row of rows) {
    const tags = withTagReplaced(row.tags ?? [], tag, to)
    await (tags.length === 0 ? edits.remove(row) : edits.change(row, tags))
    const named = tags.length === 0 ? removed : changed
    named.push(edits.nameOf(row))
  }
  return { removed, changed }
}
