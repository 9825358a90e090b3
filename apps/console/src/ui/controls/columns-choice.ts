// Columns of a list that this browser showed last.
import { readSetting, writeSetting } from '../../platform/local-setting.ts'

export interface ColumnsChoice {
  /** Known columns in the order of the table; the first one is always among them. */
  sanitized(ids: readonly string[]): readonly string[]
  /** @returns undefined when nothing has been chosen */
  read(key: string): readonly string[] | undefined
  write(key: string, ids: readonly string[]): void
}

/** @param all ids of all columns, in the order of the table */
export function columnsChoice(all: readonly string[]): ColumnsChoice {
  const sanitized = (ids: readonly string[]) => all.filter((id, index) => index === 0 || ids.includes(id))
  return {
    sanitized,
    read(key) {
      const stored = readSetting(key)
      return stored === undefined ? undefined : sanitized(stored.split(' '))
    },
    write: (key, ids) => writeSetting(key, ids.join(' ')),
  }
}
