// Parses public keys as people paste them, and encodes them for the API.
import { z } from 'zod'
import { publicKeysMessages as texts } from './messages.ts'

const LINE = /^(?:ssh-|ecdsa-sha2-|sk-)\S+ [A-Za-z0-9+/]+={0,2}(?: .*)?$/
/** The API's limit for the base64 form. */
const MAX_CHARS = 24_000

/** One line of OpenSSH's format (sshd(8), AUTHORIZED_KEYS). A private key is rejected before it leaves the browser. */
export const KeyLine = z
  .string()
  .trim()
  .max(MAX_CHARS)
  .refine((text) => !text.includes('PRIVATE KEY'), { error: texts.privateKey, abort: true })
  .refine((text) => LINE.test(text), texts.notAKey)

/** Base64 of the line, as the API takes it. */
export function encodeKeyLine(line: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(line)))
}

/** The comment at the end of a line: a good default name for the key. '' when there is none. */
export function commentOf(line: string): string {
  return line.trim().split(' ').slice(2).join(' ').slice(0, 64)
}

/** Algorithm of a key from the API: the first word of its line. */
export function algorithmOf(data: string): string {
  try {
    return atob(data).split(' ', 1)[0] ?? ''
  } catch {
    return ''
  }
}
