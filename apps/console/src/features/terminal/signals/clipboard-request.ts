// OSC 52 (xterm, "Manipulate Selection Data"): a program asks to set or to read the clipboard. Pure.
import { cleanLines } from './clean-text.ts'

/** Bytes of text that a device may put on the clipboard at once. */
export const MAX_CLIPBOARD_BYTES = 256 * 1024

export type ClipboardRequest =
  | { readonly kind: 'write'; readonly text: string }
  | { readonly kind: 'too-long' }
  /** A question for the contents, which is never answered, or nonsense. */
  | { readonly kind: 'ignored' }

/** @param data what follows `52;` */
export function readClipboardRequest(data: string): ClipboardRequest {
  const at = data.indexOf(';')
  const base64 = data.slice(at + 1)
  if (at < 0 || !/^[cpqs0-7]*$/.test(data.slice(0, at)) || base64 === '?') return { kind: 'ignored' }
  if (base64.length > (MAX_CLIPBOARD_BYTES * 4) / 3 + 4) return { kind: 'too-long' }
  const text = decode(base64)
  return text === undefined || text === '' ? { kind: 'ignored' } : { kind: 'write', text }
}

function decode(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0)
    return cleanLines(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
