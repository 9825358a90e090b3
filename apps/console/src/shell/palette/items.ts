// The palette's items besides devices.
import type { LucideIcon } from 'lucide-react'

export interface PaletteItem {
  readonly id: string
  readonly group: string
  readonly label: string
  /** Keys, shown at the end of the line. */
  readonly hint?: string
  /** Words, shown at the end of the line: a status, a time. */
  readonly note?: string
  readonly icon?: LucideIcon
  readonly run: () => void
  /** What Shift+Enter does; absent: the same. */
  readonly open?: () => void
  /** Only for devices: opens the further actions on it. */
  readonly more?: () => void
  /** It leads to more of the palette, which stays open. */
  readonly stays?: boolean
}

/** Items whose label contains every word, in the given order. */
export function matching(items: readonly PaletteItem[], words: string): PaletteItem[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return items.filter(({ label, group }) => {
    const text = `${group} ${label}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}
