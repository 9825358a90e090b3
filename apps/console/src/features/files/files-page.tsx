// Files of one device: the sign-in, then a folder.
import { ApiError } from '@bowline/contract/client'
import { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { FolderX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useRuntime, useStore } from '../../core/context.tsx'
import { deviceQuery } from '../../core/devices/queries.ts'
import { recentDevices } from '../../core/recent/recent.ts'
import { useRemembered } from '../../core/recent/use-remembered.ts'
import type { Runtime } from '../../core/runtime.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Skeleton, Text } from '../../ui/kit.ts'
import { BackLink } from '../../ui/page/back-link.tsx'
import { Page } from '../../ui/page/page.tsx'
import { ConnectForm } from '../terminal/pane/connect-form.tsx'
import { PaneNotice } from '../terminal/pane/pane-notice.tsx'
import { PromptForm } from '../terminal/pane/prompt-form.tsx'
import { UnlockPane } from '../terminal/pane/unlock-pane.tsx'
import { signInByVault } from '../terminal/vault-sign-in.ts'
import { workspaceOf } from '../terminal/workspace.ts'
import { FileBrowser } from './file-browser.tsx'
import { type FilesPane, filesOf } from './files-pane.ts'
import { filesMessages as texts } from './messages.ts'
import type { FilesBack } from './search.ts'
import { openFilesMessages } from './open-messages.ts'
import { TransferList } from './transfer-list.tsx'
import classes from './files.module.css'

interface FilesPageProps {
  readonly uid: string
  /** '': where the session begins. */
  readonly path: string
  readonly back: FilesBack
}

export function FilesPage({ uid, path, back }: FilesPageProps) {
  const { api } = useRuntime()
  const isUid = DeviceUid.safeParse(uid).success
  const query = useQuery({ ...deviceQuery(api, uid), enabled: isUid })
  if (query.data) return <FilesOfDevice device={query.data} path={path} back={back} />
  const isGone = !isUid || (query.error instanceof ApiError && query.error.status === 404)
  return (
    <Page title={openFilesMessages.title} trail={<Trail back={back} />}>
      {isGone ? (
        <EmptyState icon={<FolderX size={24} />} title={texts.deviceGone} text={texts.deviceGoneText} />
      ) : query.isError ? (
        <ErrorPanel title={texts.deviceFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Skeleton height={280} />
      )}
    </Page>
  )
}

function Trail({ back }: Pick<FilesPageProps, 'back'>) {
  if (back === 'terminal') return <BackLink to="/terminal" label={texts.toTerminal} />
  return <BackLink to="/devices" label={texts.toDevices} />
}

function FilesOfDevice({ device, path, back }: Omit<FilesPageProps, 'uid'> & { readonly device: Device }) {
  const runtime = useRuntime()
  useRemembered(recentDevices, device)
  const [{ pane, isNew }] = useState(() => filesOf(runtime).paneOf(device))
  const state = useStore(pane.state)
  useEffect(() => {
    const { kind } = pane.state.get()
    if (kind !== 'form' && kind !== 'ended') return
    // Whoever has a terminal there has signed in already.
    const access = workspaceOf(runtime).accessOn(device.uid)
    if (access) pane.connect(access)
    else if (isNew) void askToSignIn(runtime, pane)
  }, [runtime, pane, isNew, device.uid])
  const isIn = state.kind === 'running' || state.kind === 'reconnecting'
  return (
    <Page
      title={openFilesMessages.of(device.name)}
      trail={<Trail back={back} />}
      mark={isIn ? <Text c="dimmed">{texts.as(pane.user() ?? '')}</Text> : null}
      actions={
        isIn ? (
          <Button variant="default" size="compact-sm" onClick={() => pane.disconnect()}>
            {texts.disconnect}
          </Button>
        ) : null
      }
    >
      <Session pane={pane} path={path} />
      <TransferList transfers={pane.transfers} />
    </Page>
  )
}

/** A terminal of an earlier page goes on, but its password has gone with that page. */
async function askToSignIn(runtime: Runtime, pane: FilesPane): Promise<void> {
  await signInByVault(runtime, pane)
  const state = pane.state.get()
  if (state.kind !== 'form' || state.notice !== undefined) return
  if (workspaceOf(runtime).isOpenOn(pane.device.uid)) pane.show({ kind: 'form', notice: texts.reloaded })
}

function Session({ pane, path }: { readonly pane: FilesPane; readonly path: string }) {
  const runtime = useRuntime()
  const state = useStore(pane.state)
  const files = useStore(pane.files)
  switch (state.kind) {
    case 'form':
    case 'refused':
      return <ConnectForm pane={pane} state={state} onUnlock={() => void signInByVault(runtime, pane)} takesFocus />
    case 'locked':
      return <UnlockPane pane={pane} takesFocus />
    default:
      return (
        <>
          {files.kind === 'failed' ? <ErrorPanel title={texts.openFailed} error={files.error} /> : null}
          {files.kind === 'open' ? (
            <FileBrowser key={files.session} pane={pane} client={files.client} session={files.session} path={path} />
          ) : null}
          {files.kind === 'closed' && state.kind === 'running' ? (
            <output className={classes['opening']}>{texts.opening}</output>
          ) : null}
          {state.kind === 'asked' ? (
            <PromptForm key={JSON.stringify(state.prompt)} pane={pane} prompt={state.prompt} />
          ) : null}
          {/* How the file server ended says less than what the gateway says of it. */}
          <PaneNotice
            pane={pane}
            state={state.kind === 'ended' ? { ...state, exit: undefined } : state}
            onAnswer={() => undefined}
          />
        </>
      )
  }
}
