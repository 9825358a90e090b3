// Global keyboard shortcuts: one list for the key handler, the sheet behind `?` and the palette. Single keys are
// ignored in text fields and can be turned off (WCAG 2.2, 2.1.4).
import type { KeyedAction } from './chosen-keys.ts'
import { readSetting, writeSetting } from '../platform/local-setting.ts'

export interface Shortcut extends KeyedAction {
  /** Keys typed one after the other. `mod+k` is Ctrl+K, or Command+K on a Mac. */
  readonly keys: readonly string[]
  readonly run: () => void
}

/** Usual keys on the row of a device, by what they do; the sheet behind `?` names each. */
export const DEVICE_KEYS = { accept: 'a', reject: 'r', connect: 'c', rename: 'e', tags: 't', favorite: 'f' } as const

/** Usual keys where a running session is shown: on its page, and while it is watched. */
export const SESSION_KEYS = { end: 'E' } as const

const SETTING = 'bowline.single-keys'
/** Longest pause between two keys of one shortcut. */
export const PAUSE_MS = 1_200

export function areSingleKeysOn(): boolean {
  return readSetting(SETTING) !== 'off'
}

export function switchSingleKeys(on: boolean): void {
  writeSetting(SETTING, on ? 'on' : 'off')
}

/** True when the focused element consumes keys itself. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], .xterm') !== null
  )
}

/** The part of a keyboard event that shortcuts look at. */
export interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
}

/**
 * Tracks the typed keys.
 * @param now milliseconds, monotonic
 * @returns the key handler: returns the shortcut that a key completes, or undefined
 */
export function createMatcher(
  now: () => number,
): (pressed: Pressed, shortcuts: readonly Shortcut[], typing: boolean) => Shortcut | undefined {
  let typed: string[] = []
  let last = 0
  return ({ key, ctrlKey, metaKey, altKey }, shortcuts, typing) => {
    if (ctrlKey || metaKey) {
      typed = []
      const name = `mod+${key.toLowerCase()}`
      return altKey ? undefined : shortcuts.find(({ keys }) => keys.length === 1 && keys[0] === name)
    }
    if (typing || altKey || key.length > 1) {
      typed = []
      return undefined
    }
    if (now() - last > PAUSE_MS) typed = []
    last = now()
    typed.push(key)
    const isBegun = ({ keys }: Shortcut) => typed.every((each, index) => keys[index] === each)
    const begun = shortcuts.filter(isBegun)
    const whole = begun.find(({ keys }) => keys.length === typed.length)
    if (whole || begun.length === 0) typed = []
    return whole
  }
}
