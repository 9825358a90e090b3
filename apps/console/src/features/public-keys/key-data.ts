// A public key as people paste it, and as the API takes it.
import { z } from 'zod'
import { fingerprintOf } from '../devices/fingerprint.ts'
import { publicKeysMessages as texts } from './messages.ts'

const LINE = /^(?:ssh-|ecdsa-sha2-|sk-)\S+ [A-Za-z0-9+/]+={0,2}(?: .*)?$/
/** As long as the API's limit for its base64. */
const MAX_CHARS = 24_000

/** One line of OpenSSH's format (sshd(8), AUTHORIZED_KEYS). A private key is refused before it travels anywhere. */
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

/** The comment at the end of a line: a good first name for the key. '' when there is none. */
export function commentOf(line: string): string {
  return line.trim().split(' ').slice(2).join(' ').slice(0, 64)
}

/**
 * Fingerprint of a key that the API answers with, as `ssh-keygen -l` prints it.
 * @param data base64 of its line
 * @returns `SHA256:…`; undefined when the line is none, or this page has no secure context to hash in
 */
export async function lineFingerprint(data: string): Promise<string | undefined> {
  try {
    const blob = atob(data).split(' ', 2)[1] ?? ''
    return await fingerprintOf(Uint8Array.from(atob(blob), (char) => char.charCodeAt(0)))
  } catch {
    return undefined
  }
}

/** Algorithm of the key that the API answers with: the first word of its line. */
export function algorithmOf(data: string): string {
  try {
    return atob(data).split(' ', 1)[0] ?? ''
  } catch {
    return ''
  }
}
