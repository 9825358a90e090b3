// Late answers come in without moving what is about to be chosen.
import { useState } from 'react'
import type { PaletteItem } from './items.ts'

const keyOf = ({ group, id }: PaletteItem): string => `${group} ${id}`

/**
 * @param shown keys in their order on the screen
 * @param next the items now, in the order of a fresh search
 * @param at index in `shown` of the active one
 * @returns keys: what is on the screen up to the active one stays there, and the rest follows, beginning with its group
 */
export function settledOrder(shown: readonly string[], next: readonly PaletteItem[], at: number): string[] {
  const byKey = new Map(next.map((item) => [keyOf(item), item]))
  const head = shown.slice(0, at + 1).flatMap((key) => byKey.get(key) ?? [])
  const rest = next.filter((item) => !head.includes(item))
  const group = head.at(-1)?.group
  const same = rest.filter((item) => item.group === group)
  const others = rest.filter((item) => item.group !== group)
  return [...head, ...same, ...others].map(keyOf)
}

/**
 * The items in an order that does not change above the active one until the words change.
 * @param isHeld true if the active one stays where it is
 */
export function useSettled(
  items: readonly PaletteItem[],
  words: string,
  at: number,
  isHeld: (item: PaletteItem) => boolean,
): readonly PaletteItem[] {
  const keys = items.map(keyOf)
  const fresh = keys.join('\n')
  const [kept, setKept] = useState<{ words: string; fresh: string; order: readonly string[] }>()
  const byKey = new Map(items.map((item, index) => [keys[index], item]))
  if (kept?.words !== words || kept.fresh !== fresh) {
    const active = kept?.words === words ? byKey.get(kept.order[at]) : undefined
    setKept({ words, fresh, order: kept && active && isHeld(active) ? settledOrder(kept.order, items, at) : keys })
  }
  return (kept?.order ?? keys).flatMap((key) => byKey.get(key) ?? [])
}
