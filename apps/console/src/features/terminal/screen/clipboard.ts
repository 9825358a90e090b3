// Copying from and pasting into terminals. On Linux and Windows terminals in a browser share Ctrl+C with the clipboard:
// with a selection it copies, without one it interrupts, as in Windows Terminal. A Mac has the Command key for it.
import type { Terminal } from '@xterm/xterm'
import { announce } from '../../../ui/feedback/announce.tsx'
import { copyText } from '../../../ui/text/copy-text.ts'
import { uiMessages } from '../../../ui/messages.ts'

export const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '')

/** Copies what is selected, if anything is. */
export async function copySelection(terminal: Terminal): Promise<void> {
  if (!terminal.hasSelection()) return
  const copied = await copyText(terminal.getSelection())
  announce(copied ? uiMessages.copied : uiMessages.copyFailed)
}

/** A key before the terminal takes it. @returns whether it was one of the clipboard's */
export function takeClipboardKey(terminal: Terminal, event: KeyboardEvent): boolean {
  if (isApple || !event.ctrlKey || event.altKey || event.metaKey) return false
  const key = event.key.toUpperCase()
  // The browser pastes: the terminal gets the text as any paste, in brackets where the program asked for them.
  if (key === 'V') return true
  if (key !== 'C' || (!event.shiftKey && !terminal.hasSelection())) return false
  // In some browsers Ctrl+Shift+C would open the developer tools.
  event.preventDefault()
  if (event.type === 'keydown') {
    void copySelection(terminal)
    // The next Ctrl+C interrupts.
    if (!event.shiftKey) terminal.clearSelection()
  }
  return true
}
