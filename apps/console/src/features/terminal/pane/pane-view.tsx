// One pane: its header, the sign-in form or the terminal, and the session's state.
import { Columns2, Info, Rows2, Search, X } from 'lucide-react'
import { type CSSProperties, useEffect, useRef, useState } from 'react'
import { useStore } from '../../../core/context.tsx'
import { ActionIcon, Popover, Tooltip } from '../../../ui/kit.ts'
import { ConnectForm } from './connect-form.tsx'
import { terminalMessages as texts } from '../messages.ts'
import type { Pane, PaneState } from './pane.ts'
import { PaneNotice } from './pane-notice.tsx'
import { PromptForm } from './prompt-form.tsx'
import { SearchBar } from './search-bar.tsx'
import { SessionFacts } from './session-facts.tsx'
import { type Point, TerminalMenu } from './terminal-menu.tsx'
import { UnlockPane } from './unlock-pane.tsx'
import { terminalSettings } from '../screen/settings.ts'
import type { Workspace } from '../workspace.ts'
import classes from '../terminal.module.css'

interface PaneViewProps {
  readonly pane: Pane
  readonly isFocused: boolean
  readonly workspace: Workspace
}

export function PaneView({ pane, isFocused, workspace }: PaneViewProps) {
  const state = useStore(pane.state)
  const isForm =
    state.kind === 'form' || state.kind === 'refused' || state.kind === 'preparing' || state.kind === 'locked'
  const user = isForm ? undefined : pane.access()?.username
  const { name, namespace } = pane.device
  const [searching, setSearching] = useState(false)
  useEffect(() => pane.onSearch(() => setSearching(true)), [pane])
  return (
    <div className={classes['pane']} onFocus={() => workspace.focus(pane.id)}>
      <div className={classes['head']} data-focused={isFocused}>
        <span className={classes['where']}>
          {user === undefined ? '' : `${user}@`}
          {namespace}.{name}
        </span>
        {isForm ? null : (
          <>
            <PaneAction label={texts.search.label} icon={Search} onClick={() => setSearching(!searching)} />
            <InfoButton pane={pane} />
          </>
        )}
        <span className={classes['wide']}>
          <PaneAction label={texts.splitRight} icon={Columns2} onClick={() => workspace.split(pane.id, 'row')} />
          <PaneAction label={texts.splitDown} icon={Rows2} onClick={() => workspace.split(pane.id, 'column')} />
        </span>
        <PaneAction label={texts.closePane} icon={X} onClick={() => workspace.closePane(pane.id)} />
      </div>
      {isForm ? (
        <Entry pane={pane} state={state} isFocused={isFocused} />
      ) : (
        <ScreenPlace pane={pane} takesFocus={isFocused} />
      )}
      {searching && !isForm ? <SearchBar pane={pane} onClose={() => setSearching(false)} /> : null}
      {state.kind === 'asked' ? <PromptForm key={promptKey(state.prompt)} pane={pane} prompt={state.prompt} /> : null}
      <PaneNotice pane={pane} state={state} />
    </div>
  )
}

interface EntryProps {
  readonly pane: Pane
  readonly state: PaneState
  readonly isFocused: boolean
}

/** What is shown before there is a session. */
function Entry({ pane, state, isFocused }: EntryProps) {
  if (state.kind === 'preparing') return <div className={classes['form']} />
  if (state.kind === 'locked') return <UnlockPane pane={pane} takesFocus={isFocused} />
  return <ConnectForm pane={pane} state={state} takesFocus={isFocused} />
}

const promptKey = (prompt: object): string => JSON.stringify(prompt)

interface ScreenPlaceProps {
  readonly pane: Pane
  /** True when it should take the focus on mount: of several panes that mount together only one does. */
  readonly takesFocus: boolean
}

function ScreenPlace({ pane, takesFocus }: ScreenPlaceProps) {
  const container = useRef<HTMLDivElement>(null)
  const [menuAt, setMenuAt] = useState<Point>()
  useStore(terminalSettings)
  useEffect(() => {
    if (!container.current) return undefined
    const detach = pane.screen.attach(container.current)
    if (takesFocus) pane.screen.terminal.focus()
    return detach
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- only on mount
  }, [pane])
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--terminal-background': pane.screen.terminal.options.theme?.background ?? '#000',
  }
  return (
    <>
      <div
        ref={container}
        className={classes['screen']}
        style={style}
        onContextMenu={(event) => {
          // Shift opens the browser's own menu.
          if (event.shiftKey) return
          event.preventDefault()
          setMenuAt({ x: event.clientX, y: event.clientY })
        }}
      />
      <TerminalMenu terminal={pane.screen.terminal} at={menuAt} onClose={() => setMenuAt(undefined)} />
    </>
  )
}

function InfoButton({ pane }: { readonly pane: Pane }) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={320} trapFocus>
      <Popover.Target>
        <Tooltip label={texts.info} disabled={opened}>
          <ActionIcon aria-label={texts.info} aria-expanded={opened} onClick={() => setOpened(!opened)}>
            <Info size={15} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.info}>
        <SessionFacts pane={pane} />
      </Popover.Dropdown>
    </Popover>
  )
}

interface PaneActionProps {
  readonly label: string
  readonly icon: typeof X
  readonly onClick: () => void
}

function PaneAction({ label, icon: Icon, onClick }: PaneActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={onClick}>
        <Icon size={15} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
