// Texts of refusals and ends on SSH connections and web terminals. Clients print them among the device's output, so each
// carries a prefix; web terminals show the sender themselves. Causes stored in the session's row are sentences without the
// prefix, defined where they arise.
import type { SessionCause } from '../../sessions/service.ts'

const PREFIX = 'Bowline: '

/** Adds Bowline's prefix. */
export const fromBowline = (text: string): string => `${PREFIX}${text}`

/** Removes Bowline's prefix, for pages that show the sender. */
export const withoutPrefix = (text: string): string => (text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text)

export const TEXTS = {
  // Before a connection is admitted.
  tooManyConnections: fromBowline('too many connections from this address; try again later.'),

  // Logins.
  wrongFormat: fromBowline(
    'this user name names no device. Use ssh user@namespace.device@host, where user is the account on the device.',
  ),
  unreachable: fromBowline(
    'the device cannot be reached. It is unknown, offline or not accepted; check the name, its power and its network.',
  ),
  /** For every refused password, whatever the reason: it must not disclose which devices exist. */
  notAccepted: fromBowline(
    'the password was not accepted, or the device cannot be reached. It may be unknown, offline, busy, ' +
      'not accepted yet, or closed to you by a firewall rule.',
  ),
  tooManyGuesses: fromBowline(
    'too many wrong passwords for this device came from your address; wait a minute, or use a key.',
  ),
  /** Of a device without an agent of ours. */
  hostKey: fromBowline(
    'the host key of the device has changed since it was enrolled, and nothing was sent to it. If that is right, an ' +
      'administrator accepts the new key on the page of the device in the console.',
  ),
  refused: fromBowline('access to this device is refused.'),
  /** @param link page of the console */
  mayAsk: (link: string): string => fromBowline(`access to this device is refused. Request access: ${link}`),
  busy: fromBowline('too many sign-ins to this device are under way; try again in a moment.'),
  sessionLimit: fromBowline('the namespace has as many sessions open as it may; end one of them first.'),
  tooManySessions: fromBowline('too many sessions are open already; end one of them first.'),
  /** The server itself cannot evaluate the login. */
  unavailable: fromBowline('the server cannot take sessions right now; try again in a moment.'),
  permissionDenied: fromBowline('permission denied.'),
  tooManyAttempts: fromBowline('too many failed attempts to sign in.'),

  // Second factor.
  codePrompt: 'Code of your authenticator (empty: wait for the approval): ',
  wrongCode: fromBowline('the code is wrong or has been used already.'),
  tooManyCodes: fromBowline('too many wrong codes; wait some minutes, or approve the login in the console.'),
  denied: fromBowline('the login was denied.'),
  notApproved: fromBowline('nobody approved the login in time; try again.'),
  tooManyWaiting: fromBowline('too many logins wait for an approval; approve or deny them in the console first.'),
  /** For clients that cannot be asked. */
  noFactor: fromBowline(
    'this namespace asks for a second factor of a person, and this login has none; open a terminal in the console, ' +
      'or use a key of your own.',
  ),

  // Ends.
  /** In reply to a login: clients show no earlier text. */
  stopping: fromBowline('the server is stopping; try again in a moment.'),
  stopped: fromBowline('the server is stopping.'),
  unread: fromBowline(
    'too much data waits to be read, by this client or by the device, and the server needs its memory.',
  ),
  /** Sent when policy ends a session; the row has the details. */
  withdrawn: fromBowline('access to this device has been withdrawn.'),
  /** Without a full stop: the reason follows. */
  sessionEnded: fromBowline('the session has ended'),
  noShell: fromBowline('the device started no shell.'),
  noCommand: fromBowline('the device did not start the command.'),
  noFiles: fromBowline('the device offers no files over SFTP.'),
  terminalFailed: fromBowline('the terminal could not be opened.'),
  notUnderstood: fromBowline('the page has sent a message that is neither input nor a size nor a signature.'),

  // Forwarding.
  lapsed: fromBowline(
    'the namespace has more devices than it may without a subscription. Its owner chooses three of them, or subscribes, in the console.',
  ),
  /** After a credential has proved right only. */
  namespaceDisabled: fromBowline('this namespace has been disabled by an administrator of this server.'),
  forwardingOff: fromBowline('forwarding is switched off in this namespace.'),
  forwardingUnrecorded: fromBowline('Forwarding is off while recordings are required in this namespace.'),
  tooManyListeners: (max: number): string =>
    fromBowline(`at most ${max} ports, sockets and displays can be forwarded at once.`),
  /** Without a full stop: the reason follows. @param what e.g. `port 8080` */
  notForwarded: (what: string): string => fromBowline(`${what} cannot be forwarded`),
} as const

/** Text of a login that waits for an approval, in lines. */
export function heldText(held: {
  readonly device: string
  readonly address: string
  readonly code: string
  readonly link: string
  readonly seconds: number
}): string {
  const { device, address, code, link, seconds } = held
  return [
    fromBowline(`the login to ${device} from ${address} needs your approval within ${seconds} seconds.`),
    `Open ${link}`,
    `and check that the page shows the code ${code}.`,
    '',
  ].join('\r\n')
}

/** What the client is told of an end by policy: the details of rules are for the row. */
export function withdrawal({ reason, message }: Pick<SessionCause, 'reason' | 'message'>): string {
  return reason.startsWith('access-') ? fromBowline(message) : TEXTS.withdrawn
}
