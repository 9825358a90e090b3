// The session of a pane, for a terminal or for files: signed in with what the form or the vault gives, replaced by the
// next one, and the states before and after it.
import { sessions } from '@bowline/contract/operations/sessions'
import { terminals } from '@bowline/contract/operations/terminals'
import type { Device } from '@bowline/contract/schemas/device'
import type { Runtime } from '../../../core/runtime.ts'
import { type Store, createStore } from '../../../platform/store.ts'
import { describeError } from '../../../ui/feedback/describe-error.ts'
import type { Credential } from '../connection/credential.ts'
import {
  type RemoteTerminal,
  type RemoteTerminalParts,
  type Size,
  type TerminalState,
  openRemoteTerminal,
} from '../connection/remote-terminal.ts'

export type PaneDevice = Pick<Device, 'uid' | 'name' | 'namespace'>

/** The submitted sign-in form. */
export interface Access {
  readonly username: string
  readonly credential: Credential
}

/** State of a pane before it has a session. */
export type PaneEntry =
  | {
      readonly kind: 'form'
      /** Why there is a form, though a key of the vault could have been used. */
      readonly notice?: string
      /** Offers the page of the keys in this browser, to register one. */
      readonly offersKeys?: true
    }
  /** A key is looked for. */
  | { readonly kind: 'preparing' }
  /** The key is in the vault, which is locked. */
  | { readonly kind: 'locked' }

export type PaneState = TerminalState | PaneEntry

export interface PaneSession {
  readonly state: Store<PaneState>
  /** User name of the current session, or of the one before; undefined before the first. */
  readonly user: () => string | undefined
  /** Credential and target of the current session; undefined before the first, and when an earlier page began it. */
  readonly access: () => Access | undefined
  readonly remote: () => RemoteTerminal | undefined
  /** Opens a session; the previous one has ended. */
  connect(access: Access): void
  /** Asks to join the terminal of another person. @param username of the account in it */
  join(session: string, username: string): void
  /** Asks once more to join the one that it has asked to join before. */
  again(): void
  /** The session of another person that it has joined, or has asked to join. */
  readonly joined: () => string | undefined
  /** Goes on with a session that an earlier page has suspended. */
  resume(username: string, suspended: NonNullable<RemoteTerminalParts['suspended']>): void
  /** Shows the form again. */
  disconnect(): void
  /** Shows what comes before a session; the previous one has ended. */
  show(entry: PaneEntry): void
}

/** What signs in: a pane with a terminal, or one with files. */
export interface SignInPane extends Omit<PaneSession, 'resume' | 'join'> {
  readonly id: string
  readonly device: PaneDevice
}

/** A pane, or several, of which none has a state before they connect. */
export type SignInTarget = Pick<SignInPane, 'id' | 'device' | 'user' | 'access' | 'connect'> &
  Partial<Pick<SignInPane, 'state'>>

export interface PaneSessionParts {
  readonly runtime: Runtime
  readonly device: PaneDevice
  /** Of the terminal; undefined for files. */
  readonly size: () => Size | undefined
  /** A session begins. @returns where its output goes */
  readonly begin: () => RemoteTerminalParts['output']
  /** The terminal has the size of another person's; undefined: its own. */
  readonly follow?: (size: Size | undefined) => void
  /** A further sign-in begins where a session was before. */
  readonly again?: () => void
}

/** Parts of a session that come from the browser. */
export function inBrowser(): Pick<RemoteTerminalParts, 'origin' | 'openSocket' | 'later' | 'now'> {
  return {
    origin: location.origin,
    openSocket: (url, protocol) => new WebSocket(url, protocol),
    later(work, delayMs) {
      const timer = setTimeout(work, delayMs)
      return () => clearTimeout(timer)
    },
    now: () => performance.now(),
  }
}

/**
 * A ticket of the server for a session on a device.
 * @param other session of another person, to join
 * @throws {Error} with the reason, for the person
 */
export async function ticketFor(
  { api }: Runtime,
  { uid }: PaneDevice,
  username: string,
  other?: string,
): Promise<string> {
  try {
    const { body } =
      other === undefined
        ? await api.call(terminals.open, { params: { uid }, body: { username } })
        : await api.call(sessions.join, { params: { uid: other } })
    return body.ticket
  } catch (error) {
    throw new Error(describeError(error).cause, { cause: error })
  }
}

export function createPaneSession({ runtime, device, size, begin, again, follow }: PaneSessionParts): PaneSession {
  const state = createStore<PaneState>({ kind: 'form' })
  let user: string | undefined
  let access: Access | undefined
  let remote: RemoteTerminal | undefined
  let joined: string | undefined

  /** @param other session of another person, which it joins */
  function open(username: string, how: Pick<RemoteTerminalParts, 'credential' | 'suspended'>, other?: string): void {
    user = username
    joined = other
    follow?.(undefined)
    const own = openRemoteTerminal({
      ...inBrowser(),
      target: { device: device.uid, username },
      ...how,
      size: size(),
      ...(other === undefined ? {} : { follow: (of) => follow?.(of) }),
      ticket: () => ticketFor(runtime, device, username, other),
      output: begin(),
    })
    remote = own
    state.set(own.state.get())
    own.state.subscribe(() => {
      if (remote === own) state.set(own.state.get())
    })
  }

  function show(entry: PaneEntry): void {
    const earlier = remote
    remote = undefined
    joined = undefined
    follow?.(undefined)
    earlier?.close()
    state.set(entry)
  }

  const session: PaneSession = {
    state,
    user: () => user,
    access: () => access,
    remote: () => remote,
    connect(next) {
      remote?.close()
      if (user !== undefined) again?.()
      access = next
      open(next.username, { credential: next.credential })
    },
    join(session, username) {
      remote?.close()
      if (user !== undefined) again?.()
      access = undefined
      open(username, {}, session)
    },
    again() {
      if (joined !== undefined && user !== undefined) session.join(joined, user)
    },
    joined: () => joined,
    resume: (username, suspended) => open(username, { suspended }, suspended.joined ? suspended.session : undefined),
    disconnect: () => show({ kind: 'form' }),
    show,
  }
  return session
}
