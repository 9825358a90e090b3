// Devices that may put text on the clipboard, as remembered in this browser.
import { z } from 'zod'
import { type Store, createStore } from '../../../platform/store.ts'
import { readSetting, writeSetting } from '../../../platform/local-setting.ts'

const KEY = 'bowline.terminal-clipboard'
/** The oldest are forgotten first. */
const MAX_DEVICES = 500

const Consents = z.array(z.tuple([z.string().max(128), z.boolean()])).max(MAX_DEVICES)
type Consents = z.output<typeof Consents>

/** Pairs of a device's uid and its permission. */
export const consents: Store<Consents> = createStore(read())

export function consentOf(device: string): boolean | undefined {
  return consents.get().find(([uid]) => uid === device)?.[1]
}

export function rememberConsent(device: string, isAllowed: boolean): void {
  const others = consents.get().filter(([uid]) => uid !== device)
  set([...others.slice(1 - MAX_DEVICES), [device, isAllowed]])
}

export function forgetConsents(): void {
  set([])
}

function set(next: Consents): void {
  consents.set(next)
  writeSetting(KEY, JSON.stringify(next))
}

function read(): Consents {
  try {
    return Consents.parse(JSON.parse(readSetting(KEY) ?? '[]'))
  } catch {
    return []
  }
}
