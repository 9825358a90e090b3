// What the palette offers besides devices.
import type { LucideIcon } from 'lucide-react'

export interface PaletteItem {
  readonly id: string
  readonly group: string
  readonly label: string
  /** At the end of the line: a status, a key. */
  readonly hint?: string
  readonly icon?: LucideIcon
  readonly run: () => void
  /** Of a device: what more can be done with it. */
  readonly more?: () => void
}

/** Items of which every word occurs somewhere in the label, in the given order. */
export function matching(items: readonly PaletteItem[], words: string): PaletteItem[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return items.filter(({ label, group }) => {
    const text = `${group} ${label}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}
