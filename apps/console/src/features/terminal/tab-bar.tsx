// Tab bar of the terminals (WAI-ARIA tabs: arrow keys move, Delete closes), with its buttons.
import { Plus, X } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { useStore } from '../../core/context.tsx'
import { ActionIcon, Tooltip } from '../../ui/kit.ts'
import { HelpLink } from '../../ui/page/help-link.tsx'
import { paneIds } from './pane/layout.ts'
import { terminalMessages as texts } from './messages.ts'
import type { Pane } from './pane/pane.ts'
import { SettingsButton } from './settings-button.tsx'
import type { Tab, Workspace } from './workspace.ts'
import classes from './tab-bar.module.css'

interface TabBarProps {
  readonly workspace: Workspace
  readonly isPicking: boolean
  readonly onPick: (isPicking: boolean) => void
}

export function TabBar({ workspace, isPicking, onPick }: TabBarProps) {
  const { tabs, active } = useStore(workspace.state)
  const move = (event: KeyboardEvent<HTMLElement>, at: number) => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }
    const to = steps[event.key]
    const tab = to === undefined ? undefined : tabs.at(to % tabs.length)
    if (!tab) return
    event.preventDefault()
    onPick(false)
    workspace.activate(tab.id)
    document.querySelector<HTMLElement>(`#${tab.id}`)?.focus()
  }
  return (
    <div className={classes['bar']}>
      {tabs.length === 0 ? null : (
        <div role="tablist" aria-label={texts.tabs} className={classes['tabs']}>
          {tabs.map((tab, at) => (
            <OneTab
              key={tab.id}
              tab={tab}
              isActive={!isPicking && tab.id === active}
              isReached={tab.id === active}
              workspace={workspace}
              onChoose={() => {
                onPick(false)
                workspace.activate(tab.id)
              }}
              onKeyDown={(event) => move(event, at)}
            />
          ))}
        </div>
      )}
      <Tooltip label={texts.newTab}>
        <ActionIcon
          aria-label={texts.newTab}
          aria-pressed={isPicking}
          onClick={() => onPick(tabs.length > 0 && !isPicking)}
        >
          <Plus size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <span className={classes['space']} />
      <HelpLink />
      <SettingsButton />
    </div>
  )
}

interface OneTabProps {
  readonly tab: Tab
  readonly isActive: boolean
  /** True when it is in the tab order. */
  readonly isReached: boolean
  readonly workspace: Workspace
  readonly onChoose: () => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
}

function OneTab({ tab, isActive, isReached, workspace, onChoose, onKeyDown }: OneTabProps) {
  const pane = workspace.pane(tab.focused) ?? workspace.pane(paneIds(tab.layout)[0] ?? '')
  if (!pane) return null
  return (
    <TabName
      id={tab.id}
      pane={pane}
      isActive={isActive}
      isReached={isReached}
      onChoose={onChoose}
      onClose={() => workspace.closeTab(tab.id)}
      onKeyDown={onKeyDown}
    />
  )
}

interface TabNameProps extends Omit<OneTabProps, 'tab' | 'workspace'> {
  readonly id: string
  readonly pane: Pane
  readonly onClose: () => void
}

function TabName({ id, pane, isActive, isReached, onChoose, onClose, onKeyDown }: TabNameProps) {
  const { kind } = useStore(pane.state)
  const { name } = pane.device
  return (
    <button
      type="button"
      role="tab"
      id={id}
      aria-selected={isActive}
      {...(isActive ? { 'aria-controls': `panel-${id}` } : {})}
      tabIndex={isReached ? 0 : -1}
      aria-label={texts.terminalOf(name, texts.states[kind])}
      aria-keyshortcuts="Delete"
      className={classes['tab']}
      data-active={isActive}
      onClick={({ target }) => (isCross(target) ? onClose() : onChoose())}
      onKeyDown={(event) => (event.key === 'Delete' ? onClose() : onKeyDown(event))}
    >
      <span className={classes['dot']} data-state={kind} aria-hidden />
      <span className={classes['name']}>{name}</span>
      {/* Pointer only: a tablist may contain nothing but tabs. */}
      <span className={classes['close']} data-cross title={texts.closeTab(name)} aria-hidden>
        <X size={13} />
      </span>
    </button>
  )
}

function isCross(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[data-cross]') !== null
}
