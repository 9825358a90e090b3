// State of one pane: a device, the screen, and a session that can end and be restarted.
import { terminals } from '@bowline/contract/operations/terminals'
import type { Device } from '@bowline/contract/schemas/device'
import type { Runtime } from '../../../core/runtime.ts'
import { type Store, createStore } from '../../../platform/store.ts'
import { describeError } from '../../../ui/feedback/describe-error.ts'
import type { Credential } from '../connection/credential.ts'
import { type RemoteTerminal, type TerminalState, openRemoteTerminal } from '../connection/remote-terminal.ts'
import { createOutput } from '../screen/output.ts'
import { type Screen, createScreen } from '../screen/screen.ts'
import { terminalSettings } from '../screen/settings.ts'

export type PaneDevice = Pick<Device, 'uid' | 'name' | 'namespace'>

/** The submitted sign-in form. */
export interface Access {
  readonly username: string
  readonly credential: Credential
}

/** What a pane shows before there is a session. */
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
  /** Credential and target of the current session; undefined before the first. */
  readonly access: () => Access | undefined
  readonly remote: () => RemoteTerminal | undefined
  /** Opens a session; the previous one has ended. */
  connect(access: Access): void
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
  close(): void
}

export interface PaneParts {
  readonly runtime: Runtime
  readonly device: PaneDevice
  readonly isDark: boolean
  /** Handles a key before the terminal does. @returns true when handled */
  readonly key: (pane: Pane, event: KeyboardEvent) => boolean
}

/** Control and Alt of the key bar apply to the next key. */
export const heldKeys = createStore<{ readonly control: boolean; readonly alt: boolean }>({
  control: false,
  alt: false,
})

let count = 0

export function createPane({ runtime, device, isDark, key }: PaneParts): Pane {
  count += 1
  const state = createStore<PaneState>({ kind: 'form' })
  let access: Access | undefined
  let remote: RemoteTerminal | undefined
  const screen = createScreen(terminalSettings.get(), isDark, {
    input: (bytes) => remote?.input(withHeldKeys(bytes)),
    resized: (size) => remote?.resize(size),
    key: (event) => key(pane, event),
  })

  function begin(next: Access): void {
    remote?.close()
    if (access) screen.terminal.reset()
    access = next
    const own = openRemoteTerminal({
      origin: location.origin,
      openSocket: (url, protocol) => new WebSocket(url, protocol),
      later(work, delayMs) {
        const timer = setTimeout(work, delayMs)
        return () => clearTimeout(timer)
      },
      now: () => performance.now(),
      target: { device: device.uid, username: next.username },
      credential: next.credential,
      size: screen.size(),
      ticket: () => ticket(next.username),
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
    id: `pane-${count}`,
    device,
    state,
    screen,
    access: () => access,
    remote: () => remote,
    connect: begin,
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
      screen.terminal.input(text, true)
      screen.terminal.focus()
    },
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
