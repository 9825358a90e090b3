// State of one pane: a device, the screen, and a session that can end and be restarted.
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { Runtime } from '../../../core/runtime.ts'
import { type Store, createStore } from '../../../platform/store.ts'
import { notifyOf } from '../../../ui/feedback/notify.tsx'
import type { Suspended } from '../connection/remote-terminal.ts'
import { signalMessages } from '../signals/messages.ts'
import { type Signals, createSignals } from '../signals/signals.ts'
import { ring } from '../signals/tone.ts'
import { createOutput } from '../screen/output.ts'
import { type PaneDevice, type SignInPane, createPaneSession } from './pane-session.ts'
import { type PasteRisk, withoutBrackets } from '../input/judge-paste.ts'
import { type Pasting, createPasting } from '../input/pasting.ts'
import { isReply } from '../sharing/replies.ts'
import { noticeRequests } from '../sharing/requests.ts'
import { type Screen, type Snapshot, createScreen } from '../screen/screen.ts'
import { terminalSettings } from '../screen/settings.ts'

/** Viewport coordinates in CSS pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

export interface Pane extends SignInPane {
  readonly screen: Screen
  readonly pasting: Pasting
  readonly signals: Signals
  /** Position of the open menu. */
  readonly menu: Store<Point | undefined>
  /** Asks to join the terminal of another person. @param username of the account in it */
  join(session: string, username: string): void
  /** Lets somebody who asks type in this terminal. */
  admit(guest: string): void
  /** Suspends the session, because the page goes away. @returns undefined when there is none */
  suspend(maxCharacters: number): KeptSession | undefined
  /** Goes on with a session that an earlier page has suspended. */
  resume(kept: KeptSession): void
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

/** Characters that a screen for others may have: a message holds fewer of those that are long in UTF-8. */
const SHOWN_CHARACTERS = [50_000, 20_000]

/** Control and Alt of the key bar apply to the next key. */
export const heldKeys = createStore<{ readonly control: boolean; readonly alt: boolean }>({
  control: false,
  alt: false,
})

let count = 0

export function createPane({ runtime, device, isDark, key, acceptedRisks, broadcastTargets }: PaneParts): Pane {
  count += 1
  const id = `pane-${count}`
  const session = createPaneSession({
    runtime,
    device,
    size: () => screen.size(),
    begin() {
      signals.reset()
      return createOutput(screen.terminal)
    },
    again: () => screen.terminal.reset(),
    follow: (size) => screen.follow(size),
  })
  const screen = createScreen(terminalSettings.get(), isDark, {
    input(bytes, isTyped) {
      // The owner's terminal replies to the device; two replies would be one too many.
      if (session.joined() !== undefined && !isTyped && isReply(bytes)) return
      input(withHeldKeys(bytes), isTyped)
    },
    resized: (size) => session.remote()?.resize(size),
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

  noticeRequests(session, device.name, () => screen.isShown() && document.hasFocus())
  // Also while another tab is on the screen.
  signals.bells.subscribe(() => terminalSettings.get().bell === 'sound' && ring())

  function input(bytes: Uint8Array, isTyped: boolean): void {
    session.remote()?.input(bytes)
    if (isTyped) for (const other of broadcastTargets(id)) other.send(bytes)
  }

  const searching = new Set<() => void>()
  const pane: Pane = {
    ...session,
    id,
    device,
    screen,
    pasting,
    signals,
    menu: createStore<Point | undefined>(undefined),
    suspend(maxCharacters) {
      const suspended = session.remote()?.suspend()
      const user = session.user()
      if (!suspended || user === undefined) return undefined
      return { username: user, title: signals.title.get(), suspended, snapshot: screen.snapshot(maxCharacters) }
    },
    resume({ username, title, suspended, snapshot }) {
      screen.restore(snapshot)
      session.resume(username, suspended)
      if (suspended.joined) screen.follow(snapshot)
      signals.title.set(title)
    },
    admit: (guest) => session.remote()?.admit(guest, screenFor(screen)),
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
    send: (bytes) => session.remote()?.input(bytes),
    close() {
      // Nothing that still waits for the vault connects any more.
      session.disconnect()
      screen.dispose()
    },
  }
  return pane
}

/** The screen with as much scrollback as fits into a message; '' when it takes too much room by itself. */
function screenFor(screen: Screen): string {
  for (const characters of SHOWN_CHARACTERS) {
    const { output } = screen.snapshot(characters)
    const bytes = new TextEncoder().encode(JSON.stringify(output)).length
    if (output !== '' && bytes <= TERMINAL.screenBytes) return output
  }
  return ''
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
