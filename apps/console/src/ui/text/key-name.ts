// Names of keys for people.
import { uiMessages } from '../messages.ts'

/** True where the Command key is the one of shortcuts. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** `mod+k`, `Ctrl Shift C`: key names as on this machine's keyboard, in the person's language. */
export function keyName(key: string): string {
  const named = key.startsWith('mod+') ? `${isApple ? '⌘' : 'Ctrl'} ${key.slice('mod+'.length).toUpperCase()}` : key
  const { control, shift } = uiMessages.keys
  return named.replace(/\bCtrl\b/u, control).replace(/\bShift\b/u, shift)
}
