// Context menu of a terminal: opened by the right mouse button, or by the Menu key or Shift+F10 at the cursor.
import { keyName } from '../../../ui/text/key-name.ts'
import { useStore } from '../../../core/context.tsx'
import { Menu, Text } from '../../../ui/kit.ts'
import { notifyFailure } from '../../../ui/feedback/notify.tsx'
import { saveFile } from '../../../ui/text/save-file.ts'
import { copySelection, copyWithColours, isApple } from '../screen/clipboard.ts'
import { keptText } from '../screen/kept-text.ts'
import { movingMessages } from '../moving/messages.ts'
import { hasPlaces } from '../moving/moves.ts'
import { terminalMessages } from '../messages.ts'
import { popOutNow } from '../windows/pop-out-now.ts'
import type { Workspace } from '../workspace.ts'
import type { Pane } from './pane.ts'

const texts = terminalMessages.menu
/** Keys beside the items, as `messages.ts` lists them. */
const keysOf = {
  copy: 'Ctrl+Shift+C',
  paste: 'Ctrl+Shift+V',
  search: 'Ctrl+Shift+F',
  snippets: 'Ctrl+Shift+S',
  right: 'Ctrl+Shift+E',
  down: 'Ctrl+Shift+O',
  move: 'Ctrl+Shift+H',
  popOut: 'Ctrl+Shift+D',
  close: 'Ctrl+Shift+X',
} as const

/** Opens the menu where the cursor is. */
export function openMenuAtCursor({ screen: { terminal }, menu }: Pane): void {
  const box = terminal.element?.querySelector('.xterm-screen')?.getBoundingClientRect()
  if (!box) return
  const { cursorX, cursorY } = terminal.buffer.active
  const x = box.left + (box.width * cursorX) / terminal.cols
  menu.set({ x, y: box.top + (box.height * (cursorY + 1)) / terminal.rows })
}

export function TerminalMenu({ pane, workspace }: { readonly pane: Pane; readonly workspace: Workspace }) {
  const at = useStore(pane.menu)
  const { terminal } = pane.screen
  const isMovable = hasPlaces(useStore(workspace.state))
  const hasSelection = terminal.hasSelection()
  const paste = async () => {
    try {
      pane.pasting.paste(await navigator.clipboard.readText())
    } catch (error) {
      notifyFailure({ title: isApple ? texts.pasteRefusedApple : texts.pasteRefused, error })
    }
  }
  const close = () => {
    pane.menu.set(undefined)
    terminal.focus()
  }
  return (
    <Menu
      opened={at !== undefined}
      onClose={close}
      position="bottom-start"
      width={280}
      withinPortal
      returnFocus={false}
    >
      <Menu.Target>
        <span aria-hidden style={{ position: 'fixed', left: at?.x ?? 0, top: at?.y ?? 0 }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={texts.label}>
        <Menu.Item
          disabled={!hasSelection}
          rightSection={<Keys keys={isApple ? 'mod+c' : keysOf.copy} />}
          onClick={() => void copySelection(terminal)}
        >
          {texts.copy}
        </Menu.Item>
        {hasSelection ? (
          <Menu.Item onClick={() => void copyWithColours(terminal, pane.screen.selectedHtml())}>
            {texts.copyColours}
          </Menu.Item>
        ) : null}
        {/* The keyboard goes to the first item that can be chosen. */}
        <Menu.Item
          data-autofocus={hasSelection ? undefined : true}
          rightSection={<Keys keys={isApple ? 'mod+v' : keysOf.paste} />}
          onClick={() => void paste()}
        >
          {texts.paste}
        </Menu.Item>
        <Menu.Item onClick={() => terminal.selectAll()}>{texts.selectAll}</Menu.Item>
        <Menu.Item rightSection={<Keys keys={keysOf.search} />} onClick={() => pane.search()}>
          {texts.search}
        </Menu.Item>
        <Menu.Item onClick={() => terminal.clear()}>{texts.clear}</Menu.Item>
        <Menu.Item onClick={() => saveFile(outputOf(pane), `${pane.device.name}.txt`)}>{texts.save}</Menu.Item>
        <Menu.Item rightSection={<Keys keys={keysOf.snippets} />} onClick={() => workspace.snippetsFor.set(pane.id)}>
          {texts.snippets}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item rightSection={<Keys keys={keysOf.right} />} onClick={() => workspace.split(pane.id, 'row')}>
          {terminalMessages.splitRight}
        </Menu.Item>
        <Menu.Item rightSection={<Keys keys={keysOf.down} />} onClick={() => workspace.split(pane.id, 'column')}>
          {terminalMessages.splitDown}
        </Menu.Item>
        {isMovable ? (
          <Menu.Item rightSection={<Keys keys={keysOf.move} />} onClick={() => workspace.moving.set({ pane: pane.id })}>
            {movingMessages.movePane}
          </Menu.Item>
        ) : null}
        <Menu.Item rightSection={<Keys keys={keysOf.popOut} />} onClick={() => popOutNow(workspace, { pane: pane.id })}>
          {terminalMessages.popOut}
        </Menu.Item>
        <Menu.Item rightSection={<Keys keys={keysOf.close} />} onClick={() => workspace.closePane(pane.id)}>
          {terminalMessages.closePane}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const outputOf = ({ screen: { terminal } }: Pane): Blob =>
  new Blob([keptText(terminal.buffer.normal)], { type: 'text/plain;charset=utf-8' })

/** Pointer and eye only: the accessible name of an item is what it does. */
function Keys({ keys }: { readonly keys: string }) {
  return (
    <Text size="xs" c="dimmed" aria-hidden>
      {keyName(keys)}
    </Text>
  )
}
