// One tab: state, name, title and signals of the pane that has the focus in it.
import { Bell, X } from 'lucide-react'
import type { KeyboardEvent, MouseEvent, PointerEvent } from 'react'
import { useStore } from '../../../core/context.tsx'
import { formatCount } from '../../../ui/text/numbers.ts'
import { terminalMessages as texts } from '../messages.ts'
import { paneIds } from '../layout/layout.ts'
import type { Pane } from '../pane/pane.ts'
import { signalMessages } from '../signals/messages.ts'
import type { Progress } from '../signals/progress.ts'
import type { Tab } from '../tab.ts'
import type { Workspace } from '../workspace.ts'
import classes from './tab-bar.module.css'

interface TabButtonProps {
  readonly tab: Tab
  readonly isActive: boolean
  /** True when it is in the tab order. */
  readonly isReached: boolean
  readonly isDragged: boolean
  readonly workspace: Workspace
  readonly onChoose: () => void
  readonly onClose: () => void
  readonly onRename: () => void
  readonly onPress: (event: PointerEvent<HTMLElement>) => void
  readonly onMenu: (event: MouseEvent) => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
}

export function TabButton(props: TabButtonProps) {
  const { tab, workspace } = props
  const pane = workspace.pane(tab.focused) ?? workspace.pane(paneIds(tab.layout)[0] ?? '')
  return pane ? <Face {...props} pane={pane} /> : null
}

function Face({
  tab,
  pane,
  isActive,
  isReached,
  isDragged,
  workspace,
  ...on
}: TabButtonProps & { readonly pane: Pane }) {
  const { kind } = useStore(pane.state)
  const title = useStore(pane.signals.title)
  const progress = useStore(pane.signals.progress)
  const isRung = useRung(tab, workspace)
  const name = tab.name ?? pane.device.name
  const text = title === '' ? name : `${name} ${title}`
  const label = [text, texts.states[kind], isRung ? signalMessages.bell : '', progress ? inWords(progress) : '']
  return (
    <button
      type="button"
      role="tab"
      id={tab.id}
      aria-selected={isActive}
      {...(isActive ? { 'aria-controls': `panel-${tab.id}` } : {})}
      tabIndex={isReached ? 0 : -1}
      aria-label={texts.terminalOf(label)}
      aria-keyshortcuts="Delete F2 Shift+ArrowLeft Shift+ArrowRight"
      className={classes['tab']}
      data-active={isActive}
      data-dragged={isDragged || undefined}
      title={title === '' ? undefined : text}
      onClick={({ target }) => (isCross(target) ? on.onClose() : on.onChoose())}
      onDoubleClick={on.onRename}
      onPointerDown={(event) => (isCross(event.target) ? undefined : on.onPress(event))}
      // The middle button closes, as in browsers.
      onAuxClick={({ button }) => (button === 1 ? on.onClose() : undefined)}
      onContextMenu={(event) => {
        event.preventDefault()
        on.onMenu(event)
      }}
      onKeyDown={on.onKeyDown}
    >
      {isRung ? (
        <Bell size={13} className={classes['rung'] ?? ''} aria-hidden />
      ) : (
        <span className={classes['dot']} data-state={kind} aria-hidden />
      )}
      <span className={classes['name']}>
        {name}
        {title === '' ? null : <span className={classes['title']}> {title}</span>}
      </span>
      {progress?.percent === undefined ? null : (
        <span className={classes['percent']} data-kind={progress.kind} aria-hidden>
          {signalMessages.progress.running(formatCount(progress.percent))}
        </span>
      )}
      {/* Pointer only: a tablist may contain nothing but tabs. */}
      <span className={classes['close']} data-cross title={texts.closeTab(name)} aria-hidden>
        <X size={13} />
      </span>
      {progress ? (
        <span
          className={classes['progress']}
          data-kind={progress.kind}
          style={{ inlineSize: `${progress.percent ?? 100}%` }}
          aria-hidden
        />
      ) : null}
    </button>
  )
}

/** True when the bell rang unseen in one of the tab's panes. */
function useRung({ layout }: Tab, workspace: Workspace): boolean {
  return useStore(workspace.rung).some((pane) => paneIds(layout).includes(pane))
}

function inWords({ kind, percent }: Progress): string {
  if (kind !== 'running') return signalMessages.progress[kind]
  return percent === undefined ? signalMessages.progress.busy : signalMessages.progress.running(formatCount(percent))
}

function isCross(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[data-cross]') !== null
}
