// Names of keys for people.
import { uiMessages } from '../messages.ts'

/** True where the Command key is the one of shortcuts. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

const { control, shift } = uiMessages.keys
const MODIFIERS = new Map([
  ['mod', control],
  ['Ctrl', control],
  ['Shift', shift],
])

/**
 * `Ctrl+K`, `Shift+X`, `x`: a combination as on this machine's keyboard, in the person's language.
 * @param key modifiers and the key joined by `+`; `mod` is Command on Apple's machines, Control elsewhere; `X` is Shift and `x`
 */
export function keyName(key: string): string {
  const parts = key.split(/\+(?=.)/u)
  const last = parts.at(-1) ?? ''
  if (parts.length === 1) return /^\p{Lu}$/u.test(last) ? `${shift}+${last}` : last
  const named = last.length === 1 ? last.toUpperCase() : last
  if (isApple && parts[0] === 'mod') return `⌘${named}`
  return [...parts.slice(0, -1).map((part) => MODIFIERS.get(part) ?? part), named].join('+')
}

/** Names of keys that a space separates: `Shift+← →`. */
export function keyNames(keys: string): string {
  return keys.split(' ').map(keyName).join(' ')
}
