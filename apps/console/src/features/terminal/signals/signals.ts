// Signals of the program in a terminal beside its output: a title, the bell, progress, text for the clipboard. All of it
// is untrusted.
import type { Terminal } from '@xterm/xterm'
import { type Store, createStore } from '../../../platform/store.ts'
import { cleanLine } from './clean-text.ts'
import { readClipboardRequest } from './clipboard-request.ts'
import { consentOf, rememberConsent } from './consents.ts'
import { type Progress, readProgress } from './progress.ts'

export const MAX_TITLE = 80
/** Shortest time between two bells; flashes three times a second may cause seizures (WCAG 2.2, 2.3.1). */
const BELL_PAUSE_MS = 1_000

/** Text that waits for the person; undefined: it was too long to be taken. */
export interface ClipboardQuestion {
  readonly text: string | undefined
}

export interface Signals {
  readonly title: Store<string>
  readonly progress: Store<Progress | undefined>
  /** Bells so far that were not too many. */
  readonly bells: Store<number>
  /** The bell rang while nobody looked. */
  readonly isRung: Store<boolean>
  readonly clipboard: Store<ClipboardQuestion | undefined>
  /** The person looks at the terminal. */
  seen(): void
  /**
   * Answers the question about the clipboard, for this terminal until it is closed. What is copied is the text of the
   * question, also when the program has sent another one since: that is the next question.
   * @param remember for the device, in this browser
   */
  answer(isAllowed: boolean, remember: boolean): void
  /** Another session begins. */
  reset(): void
}

export interface SignalParts {
  readonly terminal: Pick<Terminal, 'onTitleChange' | 'onBell' | 'parser'>
  /** Uid of the device. */
  readonly device: string
  readonly now: () => number
  readonly isSeen: () => boolean
  /** The person wants no bell at all. */
  readonly isBellOff: () => boolean
  /** Writes to the clipboard and shows that it has. Rejects when the browser refuses. */
  readonly write: (text: string) => Promise<void>
}

export function createSignals({ terminal, device, now, isSeen, isBellOff, write }: SignalParts): Signals {
  const title = createStore('')
  const progress = createStore<Progress | undefined>(undefined)
  const bells = createStore(0)
  const isRung = createStore(false)
  const clipboard = createStore<ClipboardQuestion | undefined>(undefined)
  /** The latest text that came while a question was open. */
  let next: ClipboardQuestion | undefined
  let isAllowed = consentOf(device)
  let lastBell = Number.NEGATIVE_INFINITY

  // A question does not change under the pointer of the person who answers it.
  function ask(question: ClipboardQuestion): void {
    if (clipboard.get()) next = question
    else clipboard.set(question)
  }

  // Browsers refuse without the focus, and some without a click: then the person is asked to click.
  const copy = (text: string): Promise<void> => write(text).catch(() => ask({ text }))

  terminal.onTitleChange((text) => title.set(cleanLine(text, MAX_TITLE)))
  terminal.onBell(() => {
    if (isBellOff()) return
    if (!isSeen()) isRung.set(true)
    if (now() - lastBell < BELL_PAUSE_MS) return
    lastBell = now()
    bells.set(bells.get() + 1)
  })
  terminal.parser.registerOscHandler(9, (data) => {
    if (data === '4' || data.startsWith('4;')) progress.set(readProgress(data))
    return true
  })
  terminal.parser.registerOscHandler(52, (data) => {
    const request = readClipboardRequest(data)
    if (request.kind === 'ignored' || isAllowed === false) return true
    if (request.kind === 'too-long') ask({ text: undefined })
    // A terminal that the person does not look at would change the clipboard unnoticed.
    else if (isAllowed && isSeen()) void copy(request.text)
    else ask({ text: request.text })
    return true
  })

  return {
    title,
    progress,
    bells,
    isRung,
    clipboard,
    seen: () => isRung.set(false),
    answer(allowed, remember) {
      const asked = clipboard.get()
      if (!asked) return
      const isDenied = asked.text !== undefined && !allowed
      clipboard.set(isDenied ? undefined : next)
      next = undefined
      if (remember) rememberConsent(device, allowed)
      if (asked.text === undefined) return
      isAllowed = allowed
      if (allowed) void copy(asked.text)
    },
    reset() {
      title.set('')
      progress.set(undefined)
      clipboard.set(undefined)
      next = undefined
    },
  }
}
