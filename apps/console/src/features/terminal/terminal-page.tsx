// Terminals page: tabs above, the panes of the active one below.
import { DeviceUid } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useRuntime, useStore } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { useIsDark } from '../../ui/use-theme.ts'
import { VisuallyHidden } from '../../ui/kit.ts'
import { deviceQuery } from '../../core/devices/queries.ts'
import { recentDevices } from '../../core/recent/recent.ts'
import { useRemembered } from '../../core/recent/use-remembered.ts'
import { BroadcastBar } from './broadcast/broadcast-bar.tsx'
import { DevicePicker } from './device-picker.tsx'
import { KeyBar } from './pane/key-bar.tsx'
import { paneIds } from './layout/layout.ts'
import { terminalMessages as texts } from './messages.ts'
import { MoveDialog } from './moving/move-dialog.tsx'
import { PaneTree } from './pane/pane-tree.tsx'
import { GroupSignIn } from './group-sign-in.tsx'
import { SnippetChooser } from './snippets/snippet-chooser.tsx'
import { TabBar } from './tabs/tab-bar.tsx'
import { TerminalTitle } from './tabs/terminal-title.tsx'
import { JoinSession } from './sharing/join-session.tsx'
import { useKeys } from './use-keys.ts'
import { signInByVault } from './vault-sign-in.ts'
import { popOut } from './windows/pop-out.ts'
import { popOutNow } from './windows/pop-out-now.ts'
import type { Tab } from './tab.ts'
import { workspaceOf } from './workspace.ts'
import classes from './terminal.module.css'

interface TerminalPageProps {
  /** Device that a terminal is to be opened on. */
  readonly device: string | undefined
  /** Session whose terminal is to be joined. */
  readonly join: string | undefined
}

export function TerminalPage({ device, join }: TerminalPageProps) {
  const runtime = useRuntime()
  const workspace = workspaceOf(runtime)
  const { tabs, active } = useStore(workspace.state)
  const isDark = useIsDark()
  const [picking, setPicking] = useState(false)
  const [shown, setShown] = useState(active)
  // A terminal that opens is shown; after the last one the next is picked.
  if (active !== shown) {
    setShown(active)
    setPicking(active === undefined)
  }
  useEffect(() => workspace.setDark(isDark), [workspace, isDark])
  useKeys(workspace)
  const targetOf = (id: string) => {
    const pane = workspace.pane(id)
    return (
      pane && {
        device: pane.device.uid,
        paste: (text: string, enter: boolean) => pane.pasting.paste(text, enter),
        focus: () => pane.screen.terminal.focus(),
      }
    )
  }
  const tab = tabs.find(({ id }) => id === active)
  const focused = tab?.focused
  useRemembered(recentDevices, workspace.pane(focused ?? '')?.device)
  useEffect(() => {
    if (focused === undefined) return undefined
    popOut.set(() => popOutNow(workspace, { pane: focused }))
    return () => popOut.set(undefined)
  }, [workspace, focused])
  const isAsked = useStore(workspace.wanted).length > 0
  const isPicking = picking || (!tab && device === undefined && join === undefined && !isAsked)
  return (
    <div className={classes['page']}>
      <VisuallyHidden component="h1">{texts.title}</VisuallyHidden>
      <TabBar workspace={workspace} isPicking={isPicking} onPick={setPicking} />
      {device === undefined ? null : <OpenDevice key={device} uid={device} />}
      {join === undefined ? null : <JoinSession key={join} uid={join} />}
      <div className={classes['body']}>
        {isPicking ? (
          <DevicePicker
            takesFocus={picking}
            onPick={(picked) => {
              setPicking(false)
              void signInByVault(runtime, workspace.open(picked))
            }}
          />
        ) : null}
        <GroupSignIn workspace={workspace} />
        <SnippetChooser open={workspace.snippetsFor} target={targetOf} />
        <MoveDialog workspace={workspace} />
        <TerminalTitle tab={isPicking ? undefined : tab} workspace={workspace} />
        {tab && !isPicking ? <ActiveTab tab={tab} /> : null}
      </div>
    </div>
  )
}

function ActiveTab({ tab }: { readonly tab: Tab }) {
  const workspace = workspaceOf(useRuntime())
  const [shown] = paneIds(tab.layout).includes(tab.focused) ? [tab.focused] : paneIds(tab.layout)
  const pane = workspace.pane(shown ?? '')
  return (
    <section id={`panel-${tab.id}`} role="tabpanel" aria-labelledby={tab.id} className={classes['panel']}>
      <BroadcastBar
        broadcast={workspace.broadcast}
        count={paneIds(tab.layout).length}
        onDone={() => pane?.screen.terminal.focus()}
      />
      <PaneTree layout={tab.layout} focused={tab.focused} workspace={workspace} />
      {pane ? <KeyBar pane={pane} /> : null}
    </section>
  )
}

/** Opens the terminal that the URL asks for, once, and then clears the parameter. */
function OpenDevice({ uid }: { readonly uid: string }) {
  const runtime = useRuntime()
  const navigate = useNavigate()
  const isUid = DeviceUid.safeParse(uid).success
  const query = useQuery({ ...deviceQuery(runtime.api, uid), enabled: isUid })
  const device = query.data
  useEffect(() => {
    if (isUid && !device) return
    const workspace = workspaceOf(runtime)
    if (device && !workspace.showWaiting(device.uid)) void signInByVault(runtime, workspace.open(device))
    void navigate({ to: '/terminal', search: {}, replace: true })
  }, [runtime, navigate, device, isUid])
  if (!query.isError) return null
  return <ErrorPanel title={texts.deviceFailed} error={query.error} onRetry={() => query.refetch()} />
}
