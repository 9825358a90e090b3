// One pane: its header, the sign-in form or the terminal, and the session's state.
import { useNavigate } from '@tanstack/react-router'
import { Columns2, FolderOpen, Info, Radio, Rows2, Search, X } from 'lucide-react'
import { type CSSProperties, useEffect, useRef, useState } from 'react'
import { useRuntime, useStore } from '../../../core/context.tsx'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { Popover } from '../../../ui/kit.ts'
import { ConnectForm } from './connect-form.tsx'
import { terminalMessages as texts } from '../messages.ts'
import type { PaneState } from './pane-session.ts'
import type { Pane } from './pane.ts'
import { PaneNotice } from './pane-notice.tsx'
import { PaneWatchers } from './pane-watchers.tsx'
import { PromptForm } from './prompt-form.tsx'
import { SearchBar } from './search-bar.tsx'
import { SessionFacts } from './session-facts.tsx'
import { TerminalMenu } from './terminal-menu.tsx'
import { UnlockPane } from './unlock-pane.tsx'
import { signInByVault } from '../vault-sign-in.ts'
import { broadcastMessages } from '../broadcast/messages.ts'
import { Bell } from '../signals/bell.tsx'
import { ClipboardQuestion } from '../signals/clipboard-question.tsx'
import { Guests } from '../sharing/guests.tsx'
import { JoinQuestions } from '../sharing/join-questions.tsx'
import { dragPane } from '../moving/drag.ts'
import { DropMark } from '../moving/drop-mark.tsx'
import { PasteQuestion } from '../input/paste-question.tsx'
import { terminalSettings } from '../screen/settings.ts'
import type { Workspace } from '../workspace.ts'
import broadcastClasses from '../broadcast/broadcast.module.css'
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
  const user = isForm ? undefined : pane.user()
  const { name, namespace } = pane.device
  const chosen = useStore(workspace.broadcast.state)?.chosen
  const isChosen = chosen?.includes(pane.id) === true
  const [searching, setSearching] = useState(false)
  useEffect(() => pane.onSearch(() => setSearching(true)), [pane])
  return (
    <div className={classes['pane']} data-pane={pane.id} onFocus={() => workspace.focus(pane.id)}>
      <DropMark pane={pane.id} />
      <Bell signals={pane.signals} />
      {isChosen ? <div className={broadcastClasses['frame']} aria-hidden /> : null}
      <div
        className={classes['head']}
        data-focused={isFocused}
        onPointerDown={(event) => dragPane(pane.id, event, (moved, place) => workspace.moveTo(moved, place))}
      >
        <span className={classes['where']}>
          {user === undefined ? '' : `${user}@`}
          {namespace}.{name}
        </span>
        {state.kind === 'running' ? <PaneWatchers pane={pane} /> : null}
        {state.kind === 'running' || state.kind === 'reconnecting' ? <Guests pane={pane} /> : null}
        {chosen === undefined || state.kind !== 'running' ? null : (
          <IconButton
            data-tip={broadcastMessages.choose(name)}
            aria-label={broadcastMessages.choose(name)}
            aria-pressed={isChosen}
            look={isChosen ? 'danger' : 'default'}
            onClick={() => {
              workspace.broadcast.toggle(pane.id)
              pane.screen.terminal.focus()
            }}
          >
            <Radio size={15} aria-hidden />
          </IconButton>
        )}
        {isForm ? null : (
          <>
            <PaneAction label={texts.search.label} icon={Search} onClick={() => setSearching(!searching)} />
            <FilesAction uid={pane.device.uid} />
            <InfoButton pane={pane} />
          </>
        )}
        <span className={classes['wide']}>
          <PaneAction label={texts.splitRight} icon={Columns2} onClick={() => workspace.split(pane.id, 'row')} />
          <PaneAction label={texts.splitDown} icon={Rows2} onClick={() => workspace.split(pane.id, 'column')} />
        </span>
        <PaneAction label={texts.closePane} icon={X} onClick={() => workspace.closePane(pane.id)} />
      </div>
      {searching && !isForm ? <SearchBar pane={pane} onClose={() => setSearching(false)} /> : null}
      {isForm ? (
        <Entry pane={pane} state={state} isFocused={isFocused} />
      ) : (
        <ScreenPlace pane={pane} workspace={workspace} takesFocus={isFocused} />
      )}
      {state.kind === 'asked' && isFocused ? (
        <PromptForm key={promptKey(state.prompt)} pane={pane} prompt={state.prompt} />
      ) : null}
      <ClipboardQuestion signals={pane.signals} device={name} onAnswered={() => pane.screen.terminal.focus()} />
      <JoinQuestions pane={pane} onAnswered={() => pane.screen.terminal.focus()} />
      <PaneNotice pane={pane} state={state} onAnswer={() => workspace.focus(pane.id)} />
    </div>
  )
}

interface EntryProps {
  readonly pane: Pane
  readonly state: PaneState
  readonly isFocused: boolean
}

/** The pane before it has a session. */
function Entry({ pane, state, isFocused }: EntryProps) {
  const runtime = useRuntime()
  if (state.kind === 'preparing') return <Preparing takesFocus={isFocused} />
  if (state.kind === 'locked') return <UnlockPane pane={pane} takesFocus={isFocused} />
  const unlock = (): void => void signInByVault(runtime, pane)
  return <ConnectForm pane={pane} state={state} onUnlock={unlock} takesFocus={isFocused} />
}

/** Keeps the keyboard in the pane until there is something for it. */
function Preparing({ takesFocus }: Pick<ScreenPlaceProps, 'takesFocus'>) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) place.current?.focus()
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- only on mount
  }, [])
  return <div ref={place} tabIndex={-1} className={classes['form']} />
}

const promptKey = (prompt: object): string => JSON.stringify(prompt)

interface ScreenPlaceProps {
  readonly pane: Pane
  readonly workspace: Workspace
  /** True when it should take the focus on mount: of several panes that mount together only one does. */
  readonly takesFocus: boolean
}

function ScreenPlace({ pane, workspace, takesFocus }: ScreenPlaceProps) {
  const container = useRef<HTMLDivElement>(null)
  useStore(terminalSettings)
  const chosen = useStore(workspace.broadcast.state)?.chosen ?? []
  const targets = chosen.includes(pane.id) ? chosen.length - 1 : 0
  useEffect(() => {
    if (!container.current) return undefined
    const detach = pane.screen.attach(container.current)
    if (takesFocus) pane.screen.terminal.focus()
    pane.signals.seen()
    const look = () => pane.signals.seen()
    addEventListener('focus', look)
    return () => {
      removeEventListener('focus', look)
      detach()
    }
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
          pane.menu.set({ x: event.clientX, y: event.clientY })
        }}
      />
      <TerminalMenu pane={pane} workspace={workspace} />
      <PasteQuestion
        pasting={pane.pasting}
        target={targets === 0 ? pane.device.name : broadcastMessages.target(targets + 1)}
        isBroadcast={targets > 0}
        onClosed={() => pane.screen.terminal.focus()}
      />
    </>
  )
}

function InfoButton({ pane }: { readonly pane: Pane }) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={320} trapFocus>
      <Popover.Target>
        <IconButton
          data-tip={opened ? undefined : texts.info}
          aria-label={texts.info}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          <Info size={15} aria-hidden />
        </IconButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.info}>
        <SessionFacts pane={pane} />
      </Popover.Dropdown>
    </Popover>
  )
}

/** The files of the device, with the same sign-in. */
function FilesAction({ uid }: { readonly uid: string }) {
  const navigate = useNavigate()
  const open = () => void navigate({ to: '/devices/$uid/files', params: { uid }, search: { back: 'terminal' } })
  return <PaneAction label={texts.files} icon={FolderOpen} onClick={open} />
}

interface PaneActionProps {
  readonly label: string
  readonly icon: typeof X
  readonly onClick: () => void
}

function PaneAction({ label, icon: Icon, onClick }: PaneActionProps) {
  return (
    <IconButton data-tip={label} aria-label={label} onClick={onClick}>
      <Icon size={15} aria-hidden />
    </IconButton>
  )
}
