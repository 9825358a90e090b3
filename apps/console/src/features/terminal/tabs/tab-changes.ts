// Changes of the tabs. Pure functions.
import { cleanLine } from '../signals/clean-text.ts'
import { MAX_TAB_NAME } from '../saved-tabs.ts'
import type { Tab } from '../tab.ts'

/** Moves a tab to a place, the nearest one that exists. */
export function movedTab(tabs: readonly Tab[], id: string, to: number): readonly Tab[] {
  const tab = tabs.find((one) => one.id === id)
  if (!tab) return tabs
  const others = tabs.filter((one) => one !== tab)
  const place = Math.max(0, Math.min(others.length, to))
  return tabs[place] === tab ? tabs : others.toSpliced(place, 0, tab)
}

/** @returns undefined for the device's own name */
export function tabName(typed: string): string | undefined {
  const name = cleanLine(typed, MAX_TAB_NAME)
  return name === '' ? undefined : name
}
