// Context menu of a terminal.
import type { Terminal } from '@xterm/xterm'
import { Menu } from '../../../ui/kit.ts'
import { notifyFailure } from '../../../ui/feedback/notify.tsx'
import { copySelection } from '../screen/clipboard.ts'
import { terminalMessages } from '../messages.ts'

const texts = terminalMessages.menu

/** Viewport coordinates in CSS pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

interface TerminalMenuProps {
  readonly terminal: Terminal
  /** undefined: closed. */
  readonly at: Point | undefined
  readonly onClose: () => void
}

export function TerminalMenu({ terminal, at, onClose }: TerminalMenuProps) {
  const paste = async () => {
    try {
      terminal.paste(await navigator.clipboard.readText())
    } catch (error) {
      notifyFailure({ title: texts.pasteRefused, error })
    }
  }
  return (
    <Menu opened={at !== undefined} onClose={onClose} position="bottom-start" withinPortal returnFocus={false}>
      <Menu.Target>
        <span aria-hidden style={{ position: 'fixed', left: at?.x ?? 0, top: at?.y ?? 0 }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={texts.label}>
        {/* The first item has the focus, which a disabled button cannot have: Escape would not reach the menu. */}
        <Menu.Item
          aria-disabled={!terminal.hasSelection()}
          data-disabled={!terminal.hasSelection() || undefined}
          onClick={() => (terminal.hasSelection() ? void copySelection(terminal) : undefined)}
        >
          {texts.copy}
        </Menu.Item>
        <Menu.Item onClick={() => void paste().finally(() => terminal.focus())}>{texts.paste}</Menu.Item>
        <Menu.Item onClick={() => terminal.selectAll()}>{texts.selectAll}</Menu.Item>
        <Menu.Item onClick={() => terminal.clear()}>{texts.clear}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
