// Tab bar of the terminals (WAI-ARIA tabs: arrow keys move, with Shift they move the tab, Delete closes, F2 renames), with
// its buttons.
import { Plus } from 'lucide-react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useStore } from '../../../core/context.tsx'
import { announce } from '../../../ui/feedback/announce.tsx'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { HelpLink } from '../../../ui/page/help-link.tsx'
import { formatCount } from '../../../ui/text/numbers.ts'
import { dragPlace } from '../moving/drag.ts'
import { terminalMessages as texts } from '../messages.ts'
import { paneIds } from '../layout/layout.ts'
import { SettingsButton } from '../settings-button.tsx'
import type { Workspace } from '../workspace.ts'
import { BroadcastButton } from './broadcast-button.tsx'
import { RenameTab } from './rename-tab.tsx'
import { RoomButtons } from './room-buttons.tsx'
import { TabButton } from './tab-button.tsx'
import { TabMenu, type TabMenuPlace } from './tab-menu.tsx'
import { useTabDrag } from './use-tab-drag.ts'
import classes from './tab-bar.module.css'

interface TabBarProps {
  readonly workspace: Workspace
  readonly isPicking: boolean
  readonly onPick: (isPicking: boolean) => void
}

export function TabBar({ workspace, isPicking, onPick }: TabBarProps) {
  const { tabs, active } = useStore(workspace.state)
  const [menu, setMenu] = useState<TabMenuPlace>()
  const [renamed, setRenamed] = useState<string>()
  const { dragged, begin } = useTabDrag({
    onMove: (id, to) => workspace.move(id, to),
    onDrop: (tab, place) => workspace.moveTo({ tab }, place),
    panesOf: (id) => tabs.filter((tab) => tab.id === id).flatMap(({ layout }) => paneIds(layout)),
  })
  const isOwnTab = useStore(dragPlace) === 'own-tab'
  useEffect(() => {
    document.querySelector(`#${active ?? 'none'}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [active])

  const close = (id: string) => {
    workspace.closeTab(id)
    focusTab(workspace.state.get().active)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, id: string) => {
    const at = tabs.findIndex((tab) => tab.id === id)
    const act = actionOf(event, at)
    if (!act) return
    event.preventDefault()
    // Menus close on keys that are pressed elsewhere.
    event.stopPropagation()
    act()
  }
  const actionOf = (event: KeyboardEvent<HTMLElement>, at: number): (() => void) | undefined => {
    const { key, shiftKey, currentTarget } = event
    const id = tabs[at]?.id ?? ''
    if (key === 'Delete') return () => close(id)
    if (key === 'F2') return () => setRenamed(id)
    if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) {
      const { left, bottom } = currentTarget.getBoundingClientRect()
      return () => setMenu({ tab: id, x: left, y: bottom })
    }
    const step = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : undefined
    if (step !== undefined && shiftKey) return () => moveBy(id, step)
    const to = key === 'Home' ? 0 : key === 'End' ? -1 : step === undefined ? undefined : (at + step) % tabs.length
    const next = to === undefined ? undefined : tabs.at(to)
    return (
      next &&
      (() => {
        onPick(false)
        workspace.activate(next.id)
        document.querySelector<HTMLElement>(`#${next.id}`)?.focus()
      })
    )
  }
  const moveBy = (id: string, step: number) => {
    workspace.move(id, tabs.findIndex((tab) => tab.id === id) + step)
    const place = workspace.state.get().tabs.findIndex((tab) => tab.id === id) + 1
    announce(texts.tabMenu.movedTo(formatCount(place), formatCount(tabs.length)))
    focusTab(id)
  }

  return (
    <div className={classes['bar']} data-tab-bar data-takes={isOwnTab || undefined}>
      {tabs.length === 0 ? null : (
        <div role="tablist" aria-label={texts.tabs} className={classes['tabs']}>
          {tabs.map((tab) => (
            <TabButton
              key={tab.id}
              tab={tab}
              isActive={!isPicking && tab.id === active}
              isReached={tab.id === active}
              isDragged={tab.id === dragged}
              workspace={workspace}
              onChoose={() => {
                onPick(false)
                workspace.activate(tab.id)
              }}
              onClose={() => workspace.closeTab(tab.id)}
              onRename={() => setRenamed(tab.id)}
              onPress={(event) => begin(tab.id, event)}
              onMenu={({ clientX: x, clientY: y }) => setMenu({ tab: tab.id, x, y })}
              onKeyDown={(event) => onKeyDown(event, tab.id)}
            />
          ))}
        </div>
      )}
      <IconButton
        data-tip={texts.newTab}
        aria-label={texts.newTab}
        aria-pressed={isPicking}
        onClick={() => onPick(tabs.length > 0 && !isPicking)}
      >
        <Plus size={16} aria-hidden />
      </IconButton>
      <span className={classes['space']} />
      <BroadcastButton workspace={workspace} />
      <RoomButtons />
      <HelpLink />
      <SettingsButton />
      <TabMenu
        workspace={workspace}
        place={menu}
        onClose={() => {
          setMenu(undefined)
          focusTab(menu?.tab)
        }}
        onMove={moveBy}
        onRename={setRenamed}
      />
      {renamed === undefined ? null : (
        <RenameTab
          workspace={workspace}
          tab={renamed}
          onClose={() => {
            setRenamed(undefined)
            focusTab(renamed)
          }}
        />
      )}
    </div>
  )
}

/** Focuses a tab once it is where it belongs. */
function focusTab(id: string | undefined): void {
  setTimeout(() => document.querySelector<HTMLElement>(`#${id ?? 'none'}`)?.focus(), 0)
}
