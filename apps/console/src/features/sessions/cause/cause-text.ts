// What the server says of the end of a session, in words: the API has the codes of network errors, people do not read them.
import type { EndCause } from '@bowline/contract/terminal/messages'
import { serverText } from '../../../platform/language/server-text.ts'
import { causeMessages as texts } from './messages.ts'

/** Ends of a device's link that nobody wanted. */
const LOST_LINK: ReadonlySet<string> = new Set(['connection-lost', 'disconnected', 'keepalive'])
/** A cause that the server puts into words itself. */
const SENTENCE = /^[A-Z].*\.$/s
/** With the system call before it, as Node writes it. */
const CODE = new RegExp(
  String.raw`\b(?:(?:read|write|connect|getaddrinfo) )?(${Object.keys(texts.codes).join('|')})\b`,
  'g',
)

/** Whether the device lost its connection to the server, which ends its sessions. */
export function isDeviceLost({ by, reason, message }: EndCause): boolean {
  return by === 'network' && LOST_LINK.has(reason) && !SENTENCE.test(message)
}

/** @returns what the server says of the end; '' when it says nothing */
export function causeText(cause: EndCause): string {
  if (isDeviceLost(cause)) {
    const why = cause.reason === 'keepalive' ? texts.timedOut : texts.codes[cause.message]
    return why === undefined ? texts.deviceLost : texts.deviceLostBy(why)
  }
  return serverText(cause.message).replaceAll(CODE, (code, name: string) => texts.codes[name] ?? code)
}
