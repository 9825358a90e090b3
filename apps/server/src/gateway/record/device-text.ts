// Attributes a device's texts to the device by name: its owner must not speak for Bowline. Says what codes mean to people.
import type { LinkCause } from '@bowline/link/api'
import { plainText } from './announcement.ts'

const MAX_CHARACTERS = 1_024

/** A device's text quoted in a sentence: on one line, without control characters, at most 1,024 characters. */
export function quoted(device: string, text: string): string {
  const line = oneLine(text)
  return line === '' ? `The device ${device} gave no reason.` : `The device ${device} said: ${line}`
}

/** A device's text on one line, without control characters, at most 1,024 characters. */
export function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS)
}

/**
 * Joins an event and its reason.
 * @param happened without a full stop: our reason follows a colon, the device's is a separate sentence
 */
export function withReason(happened: string, cause: LinkCause, device: string): string {
  return cause.fromPeer ? `${happened}. ${quoted(device, cause.message)}` : `${happened}: ${reasonFor(cause)}`
}

/** Ends of a link that nobody wanted. */
const LOST_LINK: ReadonlySet<string> = new Set(['connection-lost', 'disconnected', 'keepalive'])
/** A cause that is in words for people already. */
const SENTENCE = /^[A-Z].*\.$/s

/**
 * The reason as the person in the session reads it. A lost link has the code of a network error for its message: that is
 * for the row, and a person would take it for the end of their own connection.
 */
export function reasonFor({ by, reason, message }: LinkCause): string {
  if (by !== 'network' || !LOST_LINK.has(reason) || SENTENCE.test(message)) return message
  return 'the device lost its connection to the server.'
}
