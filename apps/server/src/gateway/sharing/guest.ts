// Who asks to join a running terminal, the way to their browser, and why joining ends.
import { LIMITS } from '@bowline/contract/limits'
import type { ServerMessage } from '@bowline/contract/terminal/messages'
import type { JoinTarget } from '../../terminals/tickets.ts'
import type { SessionCause } from '../../sessions/service.ts'

/** A member with a ticket, at an address. */
export interface Guest extends Pick<JoinTarget, 'person' | 'name' | 'signIn'> {
  /** Current address of the browser. */
  readonly address: string
}

/** The way to a guest's browser. Nothing follows `end`. */
export interface GuestLine {
  /** The guest is let in: what resumes the terminal on another connection is made now. */
  admitted(message: Extract<ServerMessage, { type: 'joined' }>): void
  say(message: ServerMessage): void
  /**
   * Sends output without waiting for the browser. The bytes are copied.
   * @returns false when too much waits to be read
   */
  output(bytes: Uint8Array): boolean
  /** Returns credit for this many bytes of input. */
  consumed(count: number): void
  end(cause: SessionCause): void
}

/** A guest's place, from the request to the end. */
export interface GuestPlace {
  /** Passes typed bytes on, or drops them while the guest has not been let in or the owner is away. */
  input(bytes: Uint8Array): void
  /** Judges again after a change of the guest's address. */
  moved(): Promise<void>
  /** Tells the guest of the size, and of who is there. */
  resumed(): void
  /** The guest has left or withdrawn the request. */
  leave(): void
}

const byOwner = (reason: string, message: string): SessionCause => ({ by: 'user', reason, message })
const byGateway = (reason: string, message: string): SessionCause => ({ by: 'gateway', reason, message })

/** Causes of the end of a request or a joining, as the guest reads them. */
export const GUEST_ENDS = {
  denied: byOwner('join-denied', 'The person in the session has denied it.'),
  expired: byOwner('join-expired', `Nobody answered within ${LIMITS.joining.seconds} seconds.`),
  removed: byOwner('join-removed', 'The person in the session has removed you.'),
  over: byOwner('join-over', 'The session has ended.'),
  left: byOwner('join-left', 'The person left.'),
  slow: byGateway('join-slow', 'Your browser reads too slowly for this session.'),
  overrun: byGateway('join-overrun', 'You type faster than the device reads.'),
  full: byGateway('join-full', 'As many people are in this session as may be.'),
  tooMany: byGateway('join-limit', 'Too many requests to join; try again in a minute.'),
  unavailable: byGateway('unavailable', 'The server cannot let you in right now; try again in a moment.'),
  notShared: byGateway(
    'not-joinable',
    'Only terminals that a person has opened in the console can be joined, while they run.',
  ),
  refused: { by: 'policy', reason: 'firewall', message: 'Access to this device is refused.' },
  signedOut: { by: 'policy', reason: 'signed-out', message: 'You have signed out, or your sign-in has expired.' },
} as const satisfies Record<string, SessionCause>
