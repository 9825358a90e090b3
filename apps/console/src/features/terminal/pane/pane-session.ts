// The session of a pane, for a terminal or for files: signed in with what the form or the vault gives, replaced by the
// next one, and the states before and after it.
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
  /** Goes on with a session that an earlier page has suspended. */
  resume(username: string, suspended: NonNullable<RemoteTerminalParts['suspended']>): void
  /** Shows the form again. */
  disconnect(): void
  /** Shows what comes before a session; the previous one has ended. */
  show(entry: PaneEntry): void
}

/** What signs in: a pane with a terminal, or one with files. */
export interface SignInPane extends Omit<PaneSession, 'resume'> {
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
  /** A further sign-in begins where a session was before. */
  readonly again?: () => void
}

export function createPaneSession({ runtime, device, size, begin, again }: PaneSessionParts): PaneSession {
  const state = createStore<PaneState>({ kind: 'form' })
  let user: string | undefined
  let access: Access | undefined
  let remote: RemoteTerminal | undefined

  function open(username: string, how: Pick<RemoteTerminalParts, 'credential' | 'suspended'>): void {
    user = username
    const own = openRemoteTerminal({
      origin: location.origin,
      openSocket: (url, protocol) => new WebSocket(url, protocol),
      later(work, delayMs) {
        const timer = setTimeout(work, delayMs)
        return () => clearTimeout(timer)
      },
      now: () => performance.now(),
      target: { device: device.uid, username },
      ...how,
      size: size(),
      ticket: () => ticket(username),
      output: begin(),
    })
    remote = own
    state.set(own.state.get())
    own.state.subscribe(() => {
      if (remote === own) state.set(own.state.get())
    })
  }

  async function ticket(username: string): Promise<string> {
    try {
      const { body } = await runtime.api.call(terminals.open, { params: { uid: device.uid }, body: { username } })
      return body.ticket
    } catch (error) {
      throw new Error(describeError(error).cause, { cause: error })
    }
  }

  function show(entry: PaneEntry): void {
    const earlier = remote
    remote = undefined
    earlier?.close()
    state.set(entry)
  }

  return {
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
    resume: (username, suspended) => open(username, { suspended }),
    disconnect: () => show({ kind: 'form' }),
    show,
  }
}
