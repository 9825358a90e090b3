// Keys that a person has chosen for shortcuts instead of the usual ones (WCAG 2.2, 2.1.4). Kept in this browser.
import { z } from 'zod'
import { createStore } from '../platform/store.ts'
import { readSetting, writeSetting } from '../platform/local-setting.ts'

/** Keys by the id of a shortcut. */
export type ChosenKeys = Readonly<Record<string, readonly string[]>>

/** A shortcut as the sheet lists it. */
export interface KeyedAction {
  readonly id: string
  readonly usual: readonly string[]
  readonly label: string
}

const SETTING = 'bowline.chosen-keys'
const Stored = z.record(z.string(), z.array(z.string().length(1)).min(1).max(2))
/** Keys with a meaning of their own in each list. */
const RESERVED = ['j', 'k', 'x', 'X', '/', ' ']

export const chosenKeys = createStore<ChosenKeys>(stored())

function stored(): ChosenKeys {
  try {
    return Stored.catch({}).parse(JSON.parse(readSetting(SETTING) ?? '{}'))
  } catch {
    return {}
  }
}

/** The keys of a shortcut: the chosen ones or the usual ones. */
export function keysOf({ id, usual }: Pick<KeyedAction, 'id' | 'usual'>, chosen: ChosenKeys): readonly string[] {
  return chosen[id] ?? usual
}

/** @param keys undefined: the usual ones again */
export function chooseKeys(id: string, keys: readonly string[] | undefined): void {
  const { [id]: _, ...others } = chosenKeys.get()
  save(keys ? { ...others, [id]: keys } : others)
}

export function forgetChosenKeys(): void {
  save({})
}

function save(keys: ChosenKeys): void {
  writeSetting(SETTING, JSON.stringify(keys))
  chosenKeys.set(keys)
}

/**
 * Checks whether keys can be chosen for an action.
 * @returns `reserved`, or the action that they would hide or be hidden by; undefined when they are free
 */
export function conflictOf(
  action: Pick<KeyedAction, 'id'>,
  keys: readonly string[],
  actions: readonly KeyedAction[],
  chosen: ChosenKeys,
): 'reserved' | KeyedAction | undefined {
  if (keys[0] !== undefined && RESERVED.includes(keys[0])) return 'reserved'
  return actions.find((other) => {
    const theirs = keysOf(other, chosen)
    return other.id !== action.id && theirs.slice(0, keys.length).every((key, at) => keys[at] === key)
  })
}
