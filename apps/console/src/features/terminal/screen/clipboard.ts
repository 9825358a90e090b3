// Clipboard shortcuts of terminals. On Linux and Windows Ctrl+C is both copy and interrupt: with a selection it copies,
// without one it interrupts, as in Windows Terminal. A Mac has the Command key for it.
import type { Terminal } from '@xterm/xterm'
import { announce } from '../../../ui/feedback/announce.tsx'
import { copyText } from '../../../ui/text/copy-text.ts'
import { uiMessages } from '../../../ui/messages.ts'

export const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '')

/** Copies the selection, if any. */
export async function copySelection(terminal: Terminal): Promise<void> {
  if (!terminal.hasSelection()) return
  const copied = await copyText(terminal.getSelection())
  announce(copied ? uiMessages.copied : uiMessages.copyFailed)
}

/** Copies the selection as text and, for programs that show it, as HTML with its colours. */
export async function copyWithColours(terminal: Terminal, html: string): Promise<void> {
  const part = (type: string, content: string) => ({ [type]: new Blob([content], { type }) })
  const item = { ...part('text/plain', terminal.getSelection()), ...part('text/html', html) }
  try {
    await navigator.clipboard.write([new ClipboardItem(item)])
    announce(uiMessages.copied)
  } catch {
    // Insecure contexts have no such clipboard.
    await copySelection(terminal)
  }
}

/** Handles a key before the terminal does. @returns true when it was a clipboard shortcut */
export function takeClipboardKey(terminal: Terminal, event: KeyboardEvent): boolean {
  if (isApple || !event.ctrlKey || event.altKey || event.metaKey) return false
  const key = event.key.toUpperCase()
  // The browser pastes: the terminal receives an ordinary paste, bracketed when the program asked for it.
  if (key === 'V') return true
  if (key !== 'C' || (!event.shiftKey && !terminal.hasSelection())) return false
  // In some browsers Ctrl+Shift+C would open the developer tools.
  event.preventDefault()
  if (event.type === 'keydown') {
    void copySelection(terminal)
    // Without a selection the next Ctrl+C interrupts.
    if (!event.shiftKey) terminal.clearSelection()
  }
  return true
}
