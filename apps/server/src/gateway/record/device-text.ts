// Quotes what a device says by the device's name: whoever owns a device must not speak for Bowline.
import type { LinkCause } from '@bowline/link/api'
import { plainText } from './announcement.ts'

const MAX_CHARACTERS = 1_024

/** A device's text as a sentence of ours: on one line, without what steers terminals, of at most 1,024 characters. */
export function quoted(device: string, text: string): string {
  const line = oneLine(text)
  return line === '' ? `The device ${device} gave no reason.` : `The device ${device} said: ${line}`
}

/** A device's text on one line, without what steers terminals, of at most 1,024 characters. */
export function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS)
}

/**
 * What has happened, and why.
 * @param happened without a full stop: a reason of our own follows a colon, one of the device is a sentence of its own
 */
export function withReason(happened: string, cause: LinkCause, device: string): string {
  return cause.fromPeer ? `${happened}. ${quoted(device, cause.message)}` : `${happened}: ${cause.message}`
}
