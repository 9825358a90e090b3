// Texts of refusals and ends on SSH connections and web terminals. Clients print them among the device's output, so each
// carries a prefix; web terminals show the sender themselves. Causes stored in the session's row are sentences without the
// prefix, defined where they arise.

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
  refused: fromBowline('access to this device is refused.'),
  busy: fromBowline('too many sign-ins to this device are under way; try again in a moment.'),
  tooManySessions: fromBowline('too many sessions are open already; end one of them first.'),
  /** The server itself cannot evaluate the login. */
  unavailable: fromBowline('the server cannot take sessions right now; try again in a moment.'),
  permissionDenied: fromBowline('permission denied.'),
  tooManyAttempts: fromBowline('too many failed attempts to sign in.'),

  // Ends.
  /** In reply to a login: clients show no earlier text. */
  stopping: fromBowline('the server is stopping; try again in a moment.'),
  stopped: fromBowline('the server is stopping.'),
  /** Sent when policy ends a session; the row has the details. */
  withdrawn: fromBowline('access to this device has been withdrawn.'),
  /** Without a full stop: the reason follows. */
  sessionEnded: fromBowline('the session has ended'),
  noShell: fromBowline('the device started no shell.'),
  terminalFailed: fromBowline('the terminal could not be opened.'),
  notUnderstood: fromBowline('the page has sent a message that is neither input nor a size nor a signature.'),

  // Forwarding.
  forwardingOff: fromBowline('forwarding is switched off in this namespace.'),
  forwardingUnrecorded: fromBowline('Forwarding is off while recordings are required in this namespace.'),
  tooManyListeners: (max: number): string =>
    fromBowline(`at most ${max} ports, sockets and displays can be forwarded at once.`),
  /** Without a full stop: the reason follows. @param what e.g. `port 8080` */
  notForwarded: (what: string): string => fromBowline(`${what} cannot be forwarded`),
} as const
