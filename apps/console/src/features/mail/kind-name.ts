// Kinds of mail as people read them. A newer server may send kinds that this console does not know.
import { mailMessages as texts } from './messages.ts'

const names: ReadonlyMap<string, string> = new Map(Object.entries(texts.kinds))
const descriptions: ReadonlyMap<string, string> = new Map(Object.entries(texts.descriptions))

/** @returns the kind itself for an unknown one */
export function kindName(kind: string): string {
  return names.get(kind) ?? kind
}

/** To whom it goes, and when; '' for an unknown one. */
export function kindDescription(kind: string): string {
  return descriptions.get(kind) ?? ''
}
