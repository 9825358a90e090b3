// Menu of a tab.
import { useStore } from '../../../core/context.tsx'
import { Menu } from '../../../ui/kit.ts'
import { movingMessages } from '../moving/messages.ts'
import { terminalMessages } from '../messages.ts'
import { popOutNow } from '../windows/pop-out-now.ts'
import type { Workspace } from '../workspace.ts'

const texts = terminalMessages.tabMenu

/** A tab, and viewport coordinates in CSS pixels. */
export interface TabMenuPlace {
  readonly tab: string
  readonly x: number
  readonly y: number
}

interface TabMenuProps {
  readonly workspace: Workspace
  /** undefined: closed. */
  readonly place: TabMenuPlace | undefined
  readonly onClose: () => void
  readonly onMove: (tab: string, step: number) => void
  readonly onRename: (tab: string) => void
}

export function TabMenu({ workspace, place, onClose, onMove, onRename }: TabMenuProps) {
  const { tabs, canReopen } = useStore(workspace.state)
  const id = place?.tab ?? ''
  const at = tabs.findIndex((tab) => tab.id === id)
  return (
    <Menu opened={place !== undefined} onClose={onClose} position="bottom-start" withinPortal returnFocus={false}>
      <Menu.Target>
        <span aria-hidden style={{ position: 'fixed', left: place?.x ?? 0, top: place?.y ?? 0 }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={texts.label}>
        <Menu.Item onClick={() => onRename(id)}>{texts.rename}</Menu.Item>
        <Menu.Item onClick={() => workspace.duplicate(id)}>{texts.duplicate}</Menu.Item>
        {at > 0 ? <Menu.Item onClick={() => onMove(id, -1)}>{texts.moveLeft}</Menu.Item> : null}
        {at < tabs.length - 1 ? <Menu.Item onClick={() => onMove(id, 1)}>{texts.moveRight}</Menu.Item> : null}
        {tabs.length > 1 ? (
          <Menu.Item onClick={() => workspace.moving.set({ tab: id })}>{movingMessages.moveTab}</Menu.Item>
        ) : null}
        <Menu.Item onClick={() => popOutNow(workspace, { tab: id })}>{terminalMessages.popOut}</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => workspace.closeTab(id)}>{texts.close}</Menu.Item>
        {tabs.length > 1 ? (
          <Menu.Item onClick={() => tabs.forEach((tab) => (tab.id === id ? undefined : workspace.closeTab(tab.id)))}>
            {texts.closeOthers}
          </Menu.Item>
        ) : null}
        {canReopen ? <Menu.Item onClick={() => workspace.reopen()}>{texts.reopen}</Menu.Item> : null}
      </Menu.Dropdown>
    </Menu>
  )
}
