// State of one pane: a device, the screen, and a session that can end and be restarted.
import { terminals } from '@bowline/contract/operations/terminals'
import type { Device } from '@bowline/contract/schemas/device'
import type { Runtime } from '../../../core/runtime.ts'
import { type Store, createStore } from '../../../platform/store.ts'
import { describeError } from '../../../ui/feedback/describe-error.ts'
import { notifyOf } from '../../../ui/feedback/notify.tsx'
import type { Credential } from '../connection/credential.ts'
import {
  type RemoteTerminal,
  type RemoteTerminalParts,
  type Suspended,
  type TerminalState,
  openRemoteTerminal,
} from '../connection/remote-terminal.ts'
import { signalMessages } from '../signals/messages.ts'
import { type Signals, createSignals } from '../signals/signals.ts'
import { ring } from '../signals/tone.ts'
import { createOutput } from '../screen/output.ts'
import { type PasteRisk, withoutBrackets } from '../input/judge-paste.ts'
import { type Pasting, createPasting } from '../input/pasting.ts'
import { type Screen, type Snapshot, createScreen } from '../screen/screen.ts'
import { terminalSettings } from '../screen/settings.ts'

export type PaneDevice = Pick<Device, 'uid' | 'name' | 'namespace'>

/** The submitted sign-in form. */
export interface Access {
  readonly username: string
  readonly credential: Credential
}

/** A pane, or several, of which none has a state before they connect. */
export type SignInTarget = Pick<Pane, 'id' | 'device' | 'user' | 'access' | 'connect'> & Partial<Pick<Pane, 'state'>>

/** Viewport coordinates in CSS pixels. */
export interface Point {
  readonly x: number
  readonly y: number
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

export interface Pane {
  readonly id: string
  readonly device: PaneDevice
  readonly state: Store<PaneState>
  readonly screen: Screen
  readonly pasting: Pasting
  readonly signals: Signals
  /** Position of the open menu. */
  readonly menu: Store<Point | undefined>
  /** User name of the current session, or of the one before; undefined before the first. */
  readonly user: () => string | undefined
  /** Credential and target of the current session; undefined before the first, and when an earlier page began it. */
  readonly access: () => Access | undefined
  readonly remote: () => RemoteTerminal | undefined
  /** Opens a session; the previous one has ended. */
  connect(access: Access): void
  /** Suspends the session, because the page goes away. @returns undefined when there is none */
  suspend(maxCharacters: number): KeptSession | undefined
  /** Goes on with a session that an earlier page has suspended. */
  resume(kept: KeptSession): void
  /** Shows the form again. */
  disconnect(): void
  /** Shows what comes before a session; the previous one has ended. */
  show(entry: PaneEntry): void
  /** Opens the search bar. */
  search(): void
  /** @returns unsubscribe */
  onSearch(listener: () => void): () => void
  /** Keys of the key bar: sent like typed input. */
  type(text: string): void
  /** Inserts a text as a paste. @param enter press Enter behind it */
  insert(text: string, enter: boolean): void
  /** Sends bytes to the session as they are. */
  send(bytes: Uint8Array): void
  close(): void
}

/** A session that outlives its page, for as long as the server keeps it. */
export interface KeptSession {
  readonly username: string
  readonly title: string
  readonly suspended: Suspended
  readonly snapshot: Snapshot
}

export interface PaneParts {
  readonly runtime: Runtime
  readonly device: PaneDevice
  readonly isDark: boolean
  /** Handles a key before the terminal does. @returns true when handled */
  readonly key: (pane: Pane, event: KeyboardEvent) => boolean
  /** Kinds of pastes that are not asked about in the pane's tab. */
  readonly acceptedRisks: (pane: string) => Set<PasteRisk>
  /** The other panes that the input of a pane is broadcast to. */
  readonly broadcastTargets: (pane: string) => readonly Pane[]
}

/** Control and Alt of the key bar apply to the next key. */
export const heldKeys = createStore<{ readonly control: boolean; readonly alt: boolean }>({
  control: false,
  alt: false,
})

let count = 0

export function createPane({ runtime, device, isDark, key, acceptedRisks, broadcastTargets }: PaneParts): Pane {
  count += 1
  const id = `pane-${count}`
  const state = createStore<PaneState>({ kind: 'form' })
  let user: string | undefined
  let access: Access | undefined
  let remote: RemoteTerminal | undefined
  const screen = createScreen(terminalSettings.get(), isDark, {
    input: (bytes, isTyped) => input(withHeldKeys(bytes), isTyped),
    resized: (size) => remote?.resize(size),
    key: (event) => key(pane, event),
    pasted: (text) => pasting.paste(text),
  })
  const pasting = createPasting({
    choice: () => terminalSettings.get().pasteQuestion,
    isBracketed: () => screen.terminal.modes.bracketedPasteMode,
    accepted: () => acceptedRisks(id),
    countTargets: () => broadcastTargets(id).length + 1,
    insert(text, enter) {
      for (const one of [pane, ...broadcastTargets(id)]) one.insert(text, enter)
    },
  })
  const signals = createSignals({
    terminal: screen.terminal,
    device: device.uid,
    now: () => performance.now(),
    isBellOff: () => terminalSettings.get().bell === 'off',
    isSeen: () => screen.isShown() && document.hasFocus(),
    async write(text) {
      await navigator.clipboard.writeText(text)
      const title = signalMessages.clipboard.written(device.name, text.length)
      notifyOf({ id: `clipboard of ${device.uid}`, title })
    },
  })

  // Also while another tab is on the screen.
  signals.bells.subscribe(() => terminalSettings.get().bell === 'sound' && ring())

  function input(bytes: Uint8Array, isTyped: boolean): void {
    remote?.input(bytes)
    if (isTyped) for (const other of broadcastTargets(id)) other.send(bytes)
  }

  function begin(next: Access): void {
    remote?.close()
    if (user !== undefined) screen.terminal.reset()
    access = next
    open(next.username, { credential: next.credential })
  }

  function open(username: string, how: Pick<RemoteTerminalParts, 'credential' | 'suspended'>): void {
    user = username
    signals.reset()
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
      size: screen.size(),
      ticket: () => ticket(username),
      output: createOutput(screen.terminal),
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

  const searching = new Set<() => void>()
  const pane: Pane = {
    id,
    device,
    state,
    screen,
    pasting,
    signals,
    menu: createStore<Point | undefined>(undefined),
    user: () => user,
    access: () => access,
    remote: () => remote,
    connect: begin,
    suspend(maxCharacters) {
      const suspended = remote?.suspend()
      if (!suspended || user === undefined) return undefined
      return { username: user, title: signals.title.get(), suspended, snapshot: screen.snapshot(maxCharacters) }
    },
    resume({ username, title, suspended, snapshot }) {
      screen.restore(snapshot)
      open(username, { suspended })
      signals.title.set(title)
    },
    disconnect: () => show({ kind: 'form' }),
    show,
    search() {
      for (const listener of searching) listener()
    },
    onSearch(listener) {
      searching.add(listener)
      return () => searching.delete(listener)
    },
    type(text) {
      input(withHeldKeys(new TextEncoder().encode(text)), true)
      screen.terminal.scrollToBottom()
      screen.terminal.focus()
    },
    insert(text, enter) {
      screen.terminal.paste(screen.terminal.modes.bracketedPasteMode ? withoutBrackets(text) : text)
      if (enter) screen.terminal.input('\r', true)
    },
    send: (bytes) => remote?.input(bytes),
    close() {
      // Nothing that still waits for the vault connects any more.
      show({ kind: 'form' })
      screen.dispose()
    },
  }
  return pane
}

/** Applies held Control or Alt of the key bar to the input, and releases them. */
function withHeldKeys(bytes: Uint8Array): Uint8Array {
  const { control, alt } = heldKeys.get()
  const [first] = bytes
  if (first === undefined || (!control && !alt)) return bytes
  heldKeys.set({ control: false, alt: false })
  // Control keeps the low five bits of a letter; Alt puts Escape before it.
  const typed = control && bytes.length === 1 && first >= 0x40 ? Uint8Array.of(first & 0x1f) : bytes
  return alt ? Uint8Array.of(0x1b, ...typed) : typed
}
