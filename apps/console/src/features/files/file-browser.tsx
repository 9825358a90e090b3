// One folder of a device: its path, its entries, and what is done with them.
import { STATUS } from '@bowline/sftp/protocol'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FolderPlus, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { announce } from '../../ui/feedback/announce.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { notifyFailure } from '../../ui/feedback/notify.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { Button, Switch } from '../../ui/kit.ts'
import { Toolbar } from '../../ui/list/toolbar.tsx'
import { formatCount } from '../../ui/text/numbers.ts'
import { DropZone } from './drop-zone.tsx'
import { FileTable } from './file-table.tsx'
import type { FilesPane } from './files-pane.ts'
import { filesMessages as texts } from './messages.ts'
import { NameDialog, type NameQuestion } from './name-dialog.tsx'
import { PathBar } from './path-bar.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { ReplaceDialog } from './replace-dialog.tsx'
import { type Entry, kindOf, listFolder } from './sftp/entries.ts'
import { joined, parentOf } from './sftp/paths.ts'
import type { SftpClient } from './sftp/sftp-client.ts'
import { isCode } from './sftp/sftp-error.ts'
import { useTransfers } from './use-transfers.ts'

interface FileBrowserProps {
  readonly pane: FilesPane
  readonly client: SftpClient
  /** Uid of the session. */
  readonly session: string
  /** '': where the session begins. */
  readonly path: string
}

export function FileBrowser({ pane, client, session, path }: FileBrowserProps) {
  const { uid } = pane.device
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [words, setWords] = useState('')
  const [showsHidden, setShowsHidden] = useState(false)
  const [naming, setNaming] = useState<NameQuestion>()
  const [removing, setRemoving] = useState<Entry>()
  const picker = useRef<HTMLInputElement>(null)
  const inSession = ['files', session]
  const list = useQuery({
    queryKey: [...inSession, path],
    queryFn: () => openFolder(client, path),
    // Answers of this size are compared with the earlier ones by nobody, and kept by nobody.
    structuralSharing: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  })
  const folder = list.data
  const reload = () => void queryClient.invalidateQueries({ queryKey: inSession })
  const { question, upload, download } = useTransfers({ pane, client, onChanged: reload })
  const go = (to: string) =>
    void navigate({ to: '/devices/$uid/files', params: { uid }, search: ({ back }) => ({ path: to, back }) })

  const open = async (entry: Entry): Promise<void> => {
    if (entry.kind === 'folder') return go(entry.path)
    if (entry.kind === 'file') return download(entry)
    try {
      if (kindOf(await client.stat(entry.path)) === 'folder') go(entry.path)
      else await download(entry)
    } catch (error) {
      notifyFailure({ title: texts.table.failedEntry(entry.name), error })
    }
  }
  const rename = ({ name, path: from }: Entry) =>
    setNaming({
      title: texts.rename.of(name),
      label: texts.rename.name,
      name,
      submit: texts.rename.action,
      failed: texts.rename.failed,
      async act(next) {
        await refuseExisting(client, joined(parentOf(from), next))
        await client.rename(from, joined(parentOf(from), next))
        announce(texts.rename.done(next))
        reload()
      },
    })
  const makeFolder = (within: string) =>
    setNaming({
      title: texts.folder.action,
      label: texts.folder.name,
      name: '',
      submit: texts.folder.create,
      failed: texts.folder.failed,
      async act(name) {
        await refuseExisting(client, joined(within, name))
        await client.makeFolder(joined(within, name))
        announce(texts.folder.done(name))
        reload()
      },
    })

  return (
    <>
      {list.isError ? (
        <ErrorPanel title={texts.table.failed} error={list.error} onRetry={() => list.refetch()} />
      ) : null}
      <PathBar key={folder?.path ?? path} uid={uid} path={folder?.path ?? path} onReload={reload} />
      {folder ? (
        <DropZone onFiles={(files) => void upload(files, folder.path)}>
          <Toolbar>
            <SearchField label={texts.filter} words={words} onSearch={setWords} />
            <Switch
              size="xs"
              label={texts.hidden}
              checked={showsHidden}
              onChange={(event) => setShowsHidden(event.currentTarget.checked)}
            />
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<FolderPlus size={15} aria-hidden />}
              onClick={() => makeFolder(folder.path)}
            >
              {texts.folder.action}
            </Button>
            <Button
              size="compact-sm"
              leftSection={<Upload size={15} aria-hidden />}
              onClick={() => picker.current?.click()}
            >
              {texts.upload.action}
            </Button>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label={texts.upload.choose}
              onChange={(event) => {
                void upload([...(event.currentTarget.files ?? [])], folder.path)
                // The same file may be chosen again.
                event.currentTarget.value = ''
              }}
            />
          </Toolbar>
          {folder.isCut ? <Callout tone="note">{texts.table.cut(formatCount(folder.entries.length))}</Callout> : null}
          <FileTable
            key={folder.path}
            uid={uid}
            client={client}
            session={session}
            folder={folder}
            words={words}
            showsHidden={showsHidden}
            isStale={list.isPlaceholderData}
            onOpen={(entry) => void open(entry)}
            onUp={() => go(parentOf(folder.path))}
            onDownload={(entry) => void download(entry)}
            onRename={rename}
            onRemove={setRemoving}
          />
        </DropZone>
      ) : null}
      {naming ? <NameDialog question={naming} onClose={() => setNaming(undefined)} /> : null}
      {removing ? (
        <RemoveDialog client={client} entry={removing} onClose={() => setRemoving(undefined)} onChanged={reload} />
      ) : null}
      {question ? <ReplaceDialog question={question} folder={folder?.path ?? ''} /> : null}
    </>
  )
}

/** Lists a folder; of a path that leads to a file the folder with it. */
async function openFolder(client: SftpClient, path: string) {
  const canonical = await client.realpath(path)
  const isFile = path !== '' && kindOf(await client.stat(canonical)) === 'file'
  return listFolder(client, isFile ? parentOf(canonical) : canonical)
}

/** Servers say of a name that is taken no more than that they have failed. */
async function refuseExisting(client: SftpClient, path: string): Promise<void> {
  try {
    await client.lstat(path)
  } catch (error) {
    if (isCode(error, STATUS.noSuchFile)) return
    throw error
  }
  throw new Error(texts.rename.exists)
}
