// Names of browsers and programs as people know them.
import { parse } from 'bowser'

/** Longest name of an unknown program that is shown. */
const NAME_LENGTH = 60

/** Such as `Firefox on Linux`; an unknown program is named as it calls itself, '' without a name. */
export function browserName(userAgent: string): string {
  if (userAgent === '') return ''
  const { browser, os } = parse(userAgent)
  if (!browser.name) return userAgent.replaceAll(/[^\x20-\x7e]/g, '').slice(0, NAME_LENGTH)
  return os.name ? `${browser.name} on ${os.name}` : browser.name
}
