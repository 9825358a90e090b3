// Terminals in windows of their own. A session goes there as it goes over a reload: its page suspends it and leaves it in the
// session storage, here that of the new window, which has the same origin. A window that is closed leaves its sessions to
// the page that opened it, which goes on with them.
import { TABS_KEY } from '../suspended.ts'
import { WINDOW_KEY, ownWindow } from './own-window.ts'

/** Of this page: a window asks whether it could leave its terminals here, or leaves them. */
const EVENT = 'bowline-terminal-window'
const FEATURES = 'popup,width=960,height=640'
/** A window that loads its page again leaves its terminals as well, and is not closed soon after. */
const CHECK_MS = 200
const CHECKS = 15

interface Left {
  readonly id: string
  /** Stored tabs with their sessions; undefined: the window only asks. */
  readonly tabs: string | undefined
}

export interface TerminalWindow {
  /** Shows terminals in it. @param tabs as they are stored for a reload */
  show(tabs: string): void
}

export interface TerminalWindows {
  /** @returns undefined when the browser does not allow it */
  open(): TerminalWindow | undefined
}

/** @param take goes on with the terminals of a window that was closed */
export function createTerminalWindows(take: (tabs: string) => void): TerminalWindows {
  /** With the check that is due, by id. */
  const windows = new Map<string, { readonly opened: Window; timer: ReturnType<typeof setTimeout> | undefined }>()

  function takeWhenClosed(id: string, tabs: string, checks = CHECKS): void {
    const known = windows.get(id)
    if (known?.opened.closed === true) {
      windows.delete(id)
      return take(tabs)
    }
    if (known && checks > 0) known.timer = setTimeout(() => takeWhenClosed(id, tabs, checks - 1), CHECK_MS)
  }

  addEventListener(EVENT, (event) => {
    const { id, tabs }: Left = event instanceof CustomEvent ? event.detail : {}
    const known = windows.get(id)
    if (!known) return
    event.preventDefault()
    if (tabs === undefined) return
    // Closed soon after it was loaded again: what it leaves last is right.
    clearTimeout(known.timer)
    takeWhenClosed(id, tabs)
  })
  return {
    open() {
      const opened = window.open('', '', FEATURES)
      if (!opened) return undefined
      return {
        show(tabs) {
          const id = crypto.randomUUID()
          windows.set(id, { opened, timer: undefined })
          opened.sessionStorage.setItem(TABS_KEY, tabs)
          opened.sessionStorage.setItem(WINDOW_KEY, id)
          opened.location.replace(`${location.origin}/terminal`)
        },
      }
    },
  }
}

/** Whether this is a window whose terminals go back to the page that opened it, when it is closed. */
export function isReturnable(): boolean {
  return tellOpener(undefined)
}

/** Leaves terminals to the page that opened this window, in case that it is being closed. */
export function leaveToOpener(tabs: string): void {
  tellOpener(tabs)
}

/** @returns true where that page knows this window */
function tellOpener(tabs: string | undefined): boolean {
  const id = ownWindow()
  const opener: Window | null = window.opener
  if (id === undefined || !opener || opener.closed) return false
  try {
    const detail: Left = { id, tabs }
    // At once: this page may be gone before a message arrives. The event must be one of the other page.
    const { CustomEvent: Event } = opener as Window & typeof globalThis
    return !opener.dispatchEvent(new Event(EVENT, { detail, cancelable: true }))
  } catch {
    // It shows another site by now.
    return false
  }
}
