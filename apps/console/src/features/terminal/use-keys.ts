// Workspace shortcuts. Except for the clipboard and zoom they all need Control and Shift, which programs in terminals do
// not receive, so none is taken from them; one leaves the terminal, which captures the Tab key (WCAG 2.1.2).
import { useEffect } from 'react'
import { isApple, takeClipboardKey } from './screen/clipboard.ts'
import { FONT_SIZES, USUAL_FONT_SIZE, changeSettings, terminalSettings } from './screen/settings.ts'
import { foldSidebar, switchFullScreen } from './tabs/room-buttons.tsx'
import { openMenuAtCursor } from './pane/terminal-menu.tsx'
import { hasPlaces } from './moving/moves.ts'
import { paneIds } from './layout/layout.ts'
import type { Pane } from './pane/pane.ts'
import { popOutNow } from './windows/pop-out-now.ts'
import type { Workspace } from './workspace.ts'

export function useKeys(workspace: Workspace): void {
  useEffect(
    () =>
      workspace.interceptKeys((pane, event) => {
        if (takeClipboardKey(pane.screen.terminal, event)) return true
        if (isPaletteKey(event)) return true
        if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
          event.preventDefault()
          // Menus close on keys that are pressed elsewhere.
          event.stopPropagation()
          if (event.type === 'keydown') openMenuAtCursor(pane)
          return true
        }
        if (takeZoomKey(event)) return true
        const isOurs = event.ctrlKey && event.shiftKey && !event.altKey && !event.metaKey
        const action = isOurs ? ACTIONS[event.key.toUpperCase()] : undefined
        if (!action) return false
        event.preventDefault()
        if (event.type === 'keydown') action(workspace, pane)
        return true
      }),
    [workspace],
  )
}

/** The palette's key, which the console handles after the terminal has left it alone. Programs use Ctrl+K, so it needs Shift. */
function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (key.toUpperCase() !== 'K' || altKey) return false
  if (isApple && metaKey) return true
  return ctrlKey && !metaKey && (shiftKey || terminalSettings.get().paletteKey)
}

/** Ctrl with plus, minus and 0, which no program receives; with Shift minus is a control character of shells. */
function takeZoomKey(event: KeyboardEvent): boolean {
  const { key, altKey, shiftKey } = event
  const isHeld = isApple ? event.metaKey : event.ctrlKey && !event.metaKey
  const step = key === '+' || key === '=' ? 1 : key === '-' && !shiftKey ? -1 : key === '0' ? 0 : undefined
  if (!isHeld || altKey || step === undefined) return false
  event.preventDefault()
  if (event.type === 'keydown') zoom(step)
  return true
}

/** @param step 0 for the usual size */
function zoom(step: number): void {
  const fontSize = step === 0 ? USUAL_FONT_SIZE : terminalSettings.get().fontSize + step
  changeSettings({ fontSize: Math.min(FONT_SIZES.most, Math.max(FONT_SIZES.least, fontSize)) })
}

const ACTIONS: Readonly<Record<string, (workspace: Workspace, pane: Pane) => void>> = {
  F: (_, pane) => pane.search(),
  E: (workspace, pane) => workspace.split(pane.id, 'row'),
  O: (workspace, pane) => workspace.split(pane.id, 'column'),
  H: (workspace, pane) => workspace.moving.set(hasPlaces(workspace.state.get()) ? { pane: pane.id } : undefined),
  D: (workspace, pane) => popOutNow(workspace, { pane: pane.id }),
  X: (workspace, pane) => workspace.closePane(pane.id),
  S: (workspace, pane) => workspace.snippetsFor.set(pane.id),
  G: ({ broadcast }, pane) => (broadcast.state.get() ? broadcast.stop() : broadcast.start(pane.id)),
  Z: (workspace) => workspace.reopen(),
  B: () => foldSidebar(),
  M: () => switchFullScreen(),
  L: (workspace) => document.querySelector<HTMLElement>(`#${workspace.state.get().active ?? ''}`)?.focus(),
  Y(workspace, pane) {
    const tab = workspace.state.get().tabs.find(({ id }) => id === workspace.state.get().active)
    const ids = tab ? paneIds(tab.layout) : []
    const next = ids[(ids.indexOf(pane.id) + 1) % ids.length] ?? pane.id
    workspace.focus(next)
    workspace.pane(next)?.screen.terminal.focus()
  },
}
