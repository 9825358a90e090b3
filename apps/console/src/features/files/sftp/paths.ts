// Names and paths of a device. There they are bytes that anybody may have chosen; here they are texts from which the same
// bytes can be made again. What a text would hide or reorder (control characters, marks of direction, bytes that are no
// UTF-8) is written as `\x1b`, and a backslash as two.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u
const encoder = new TextEncoder()
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes of a UTF-8 sequence, by its first byte; 1 for what begins none. */
function sequenceLength(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
}

function escaped(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.raw`\x${byte.toString(16).padStart(2, '0')}`).join('')
}

/** undefined for what is no UTF-8 */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** @returns a text without characters that hide or reorder others */
export function textOf(bytes: Uint8Array): string {
  const whole = decoded(bytes)
  if (whole !== undefined && !whole.includes('\\') && !HIDDEN.test(whole)) return whole
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const sequence = bytes.subarray(at, at + sequenceLength(bytes[at] ?? 0))
    const character = decoded(sequence)
    // Of a broken sequence only the first byte is taken: the next may begin another one.
    const taken = character === undefined ? sequence.subarray(0, 1) : sequence
    const isShown = character !== undefined && !HIDDEN.test(character)
    text += isShown ? character.replace('\\', '\\\\') : escaped(taken)
    at += taken.length
  }
  return text
}

/** Opposite of {@link textOf}; a person may type any text. */
export function bytesOf(text: string): Uint8Array {
  const parts = text.split(/(\\\\|\\x[0-9a-fA-F]{2})/)
  const bytes = parts.flatMap((part, index) => {
    // Every other part is an escape.
    if (index % 2 === 0) return [...encoder.encode(part)]
    return part === '\\\\' ? [0x5c] : [Number.parseInt(part.slice(2), 16)]
  })
  return Uint8Array.from(bytes)
}

/** The same of a text that the device sent as text, such as its own words about an error. */
export function plainText(text: string): string {
  return textOf(encoder.encode(text))
}

export const ROOT = '/'

/** @param name relative, or a whole path, which then is the result */
export function joined(folder: string, name: string): string {
  if (name.startsWith('/')) return name
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`
}

export function parentOf(path: string): string {
  const at = path.replace(/\/+$/, '').lastIndexOf('/')
  return at <= 0 ? ROOT : path.slice(0, at)
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The folders on the way to a path, with their names, the root first. */
export function stepsTo(path: string): { readonly name: string; readonly path: string }[] {
  const names = path.split('/').filter((name) => name !== '')
  const steps = names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join('/')}` }))
  return [{ name: ROOT, path: ROOT }, ...steps]
}

export type NameFault = 'empty' | 'slash' | 'dots' | 'zero' | 'long'

/** Names are at most this long in the file systems of Linux, in bytes. */
const MAX_NAME_BYTES = 255

/** Why a text cannot be the name of a file; undefined: it can. */
export function nameFault(text: string): NameFault | undefined {
  const bytes = bytesOf(text)
  if (bytes.length === 0) return 'empty'
  if (bytes.includes(0)) return 'zero'
  if (bytes.includes(0x2f)) return 'slash'
  if (text === '.' || text === '..') return 'dots'
  return bytes.length > MAX_NAME_BYTES ? 'long' : undefined
}

/** Names that Windows gives to devices. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const MAX_SAVED_CHARACTERS = 200

/** A name under which the browser may save a file, on every system. */
export function savedName(name: string): string {
  const text = new TextDecoder()
    .decode(bytesOf(name))
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\uFFFD/\\:*?"<>|]/gu, '_')
    .replaceAll(/^[.\s]+|[.\s]+$/g, (edge) => '_'.repeat(edge.length))
  if (text === '') return 'file'
  if (RESERVED.test(text)) return `_${text}`
  if (text.length <= MAX_SAVED_CHARACTERS) return text
  const ending = /\.[\w-]{1,16}$/.exec(text)?.[0] ?? ''
  return `${text.slice(0, MAX_SAVED_CHARACTERS - ending.length).toWellFormed()}${ending}`
}
