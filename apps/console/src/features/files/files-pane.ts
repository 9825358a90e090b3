// Files of devices: a session of SFTP for each device that somebody browses. They live outside React, as terminals do, so
// that a transfer goes on while another page is looked at; they end with the person's session.
import type { Runtime } from '../../core/runtime.ts'
import { guardUnload } from '../../platform/unload-guard.ts'
import { type Store, createStore } from '../../platform/store.ts'
import { type PaneDevice, type SignInPane, createPaneSession } from '../terminal/pane/pane-session.ts'
import { ownerOf } from '../terminal/workspace.ts'
import { filesMessages as texts } from './messages.ts'
import { SftpClient } from './sftp/sftp-client.ts'
import { Interrupted } from './sftp/sftp-error.ts'
import { type Transfers, createTransfers } from './transfers.ts'

export type Opened =
  /** No session, or one whose files are not open yet. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly client: SftpClient; readonly session: string }
  | { readonly kind: 'failed'; readonly error: unknown }

export interface FilesPane extends SignInPane {
  readonly files: Store<Opened>
  readonly transfers: Transfers
}

export interface FilesPanes {
  /** The pane of a device, and whether it is a new one. */
  paneOf(device: PaneDevice): { readonly pane: FilesPane; readonly isNew: boolean }
}

const known = new WeakMap<Runtime, FilesPanes>()

export function filesOf(runtime: Runtime): FilesPanes {
  const panes = known.get(runtime) ?? createPanes(runtime)
  known.set(runtime, panes)
  return panes
}

function createPanes(runtime: Runtime): FilesPanes {
  const panes = new Map<string, FilesPane>()
  // Another person, or another namespace, must not see these files.
  let owner = ownerOf(runtime)
  runtime.session.state.subscribe(() => {
    const next = ownerOf(runtime)
    if (next === owner) return
    owner = next
    for (const pane of panes.values()) pane.disconnect()
    panes.clear()
  })
  guardUnload(() => [...panes.values()].some(({ transfers }) => transfers.isBusy()))
  addEventListener('offline', () => {
    for (const pane of panes.values()) pane.remote()?.doubt()
  })
  addEventListener('online', () => {
    for (const pane of panes.values()) pane.remote()?.reconnectNow()
  })
  return {
    paneOf(device) {
      const pane = panes.get(device.uid)
      if (pane) return { pane, isNew: false }
      const added = createFilesPane(runtime, device)
      panes.set(device.uid, added)
      return { pane: added, isNew: true }
    },
  }
}

function createFilesPane(runtime: Runtime, device: PaneDevice): FilesPane {
  const files = createStore<Opened>({ kind: 'closed' })
  const transfers = createTransfers(() => performance.now())
  let client: SftpClient | undefined
  let isStarted = false
  const session = createPaneSession({
    runtime,
    device,
    size: () => undefined,
    begin() {
      const own = new SftpClient((bytes) => session.remote()?.input(bytes))
      client = own
      isStarted = false
      return (bytes, done) => {
        own.receive(bytes)
        done()
      }
    },
  })

  function start(own: SftpClient): void {
    isStarted = true
    own.start().then(
      () => {
        if (own === client) files.set({ kind: 'open', client: own, session: session.remote()?.session() ?? '' })
      },
      (error: unknown) => {
        if (own === client) files.set({ kind: 'failed', error })
      },
    )
  }

  session.state.subscribe(() => {
    const { kind } = session.state.get()
    if (kind === 'running' && client && !isStarted) return start(client)
    // A question, or a connection that may come back, ends nothing.
    if (kind === 'running' || kind === 'reconnecting' || kind === 'connecting' || kind === 'asked') return
    client?.end(new Interrupted(texts.errors.ended))
    client = undefined
    files.set({ kind: 'closed' })
  })
  return { ...session, id: `files-${device.uid}`, device, files, transfers }
}
