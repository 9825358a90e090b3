// The entries of a folder, some hundred at a time: a folder may have a hundred thousand.
import { modeText } from '@bowline/sftp/long-name'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Download, FolderOpen, Pencil, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { UnstyledButton } from '../../ui/kit.ts'
import type { Column, Sort } from '../../ui/list/column.ts'
import { DataTable } from '../../ui/list/data-table.tsx'
import { Pager } from '../../ui/list/pager.tsx'
import { formatBytes } from '../../ui/text/numbers.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { FileName, OpenedFolder } from './file-name.tsx'
import { filesMessages } from './messages.ts'
import type { Entry, Folder } from './sftp/entries.ts'
import type { SftpClient } from './sftp/sftp-client.ts'
import { shownEntries } from './sorting.ts'
import classes from './files.module.css'

const texts = filesMessages.table
const PER_PAGE = 200

export interface FileTableProps {
  readonly uid: string
  readonly client: SftpClient
  readonly session: string
  readonly folder: Folder
  readonly words: string
  readonly showsHidden: boolean
  readonly isStale: boolean
  readonly onOpen: (entry: Entry) => void
  readonly onUp: () => void
  readonly onDownload: (entry: Entry) => void
  readonly onRename: (entry: Entry) => void
  readonly onRemove: (entry: Entry) => void
}

export function FileTable(props: FileTableProps) {
  const { uid, folder, words, showsHidden, isStale, onOpen, onUp, onRename, onRemove, onDownload } = props
  const [sort, setSort] = useState<Sort>({ by: 'name', order: 'asc' })
  const [wantedPage, setPage] = useState(1)
  const shown = useMemo(
    () => shownEntries(folder.entries, { words, showsHidden, sort }),
    [folder, words, showsHidden, sort],
  )
  const page = Math.min(wantedPage, Math.max(1, Math.ceil(shown.length / PER_PAGE)))
  const before = (page - 1) * PER_PAGE
  const rows = useMemo(() => shown.slice(before, before + PER_PAGE), [shown, before])
  const targets = useTargets(props, rows)
  const isFiltered = folder.entries.length > 0
  const keys: Readonly<Record<string, (entry: Entry) => void>> = { Backspace: onUp, Delete: onRemove, F2: onRename }
  return (
    <OpenedFolder value={{ uid, targets, onOpen }}>
      <DataTable
        label={texts.label}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ name }) => name}
        sort={sort}
        onSort={setSort}
        stale={isStale}
        part={{ total: shown.length, before }}
        keysHint={texts.keys}
        onRowKey={(entry, key) => {
          const act = keys[key]
          act?.(entry)
          return act !== undefined
        }}
        renderActions={(entry) => (
          <>
            {entry.kind === 'file' || entry.kind === 'link' ? (
              <RowAction
                label={filesMessages.download.of(entry.name)}
                hint={filesMessages.download.action}
                icon={Download}
                onClick={() => onDownload(entry)}
              />
            ) : null}
            <RowAction
              label={filesMessages.rename.of(entry.name)}
              hint={filesMessages.rename.action}
              icon={Pencil}
              onClick={() => onRename(entry)}
            />
            <RowAction
              label={filesMessages.remove.of(entry.name)}
              hint={filesMessages.remove.action}
              icon={Trash2}
              onClick={() => onRemove(entry)}
            />
          </>
        )}
        empty={
          <EmptyState
            icon={<FolderOpen size={24} />}
            title={isFiltered ? texts.noMatch : texts.empty}
            text={isFiltered ? texts.noMatchText : texts.emptyText}
          />
        }
      />
      <Pager
        list={texts.label}
        page={page}
        perPage={PER_PAGE}
        total={shown.length}
        renderLink={(to, children, label, className) => (
          <UnstyledButton key={label} className={className} aria-label={label} onClick={() => setPage(to)}>
            {children}
          </UnstyledButton>
        )}
      />
    </OpenedFolder>
  )
}

/** Targets of the symbolic links on the page, by one READLINK each. */
function useTargets({ client, session }: FileTableProps, rows: readonly Entry[]): ReadonlyMap<string, string> {
  const links = rows.filter(({ kind }) => kind === 'link').map(({ path }) => path)
  const { data } = useQuery({
    queryKey: ['files', session, 'targets', links],
    queryFn: async () => {
      const found = await Promise.all(links.map(async (path) => [path, await client.readlink(path).catch(() => '')]))
      return new Map(found as [string, string][])
    },
    enabled: links.length > 0,
    structuralSharing: false,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  })
  return data ?? NO_TARGETS
}

const NO_TARGETS: ReadonlyMap<string, string> = new Map()

const COLUMNS: readonly Column<Entry>[] = [
  {
    id: 'name',
    header: texts.name,
    sortBy: 'name',
    block: true,
    cell: (entry) => <FileName entry={entry} />,
  },
  {
    id: 'size',
    header: texts.size,
    sortBy: 'size',
    width: '7rem',
    cell: ({ kind, size }) => (kind === 'file' && size !== undefined ? formatBytes(size) : ''),
  },
  {
    id: 'modified',
    header: texts.modified,
    sortBy: 'modified',
    width: '9rem',
    cell: ({ modifiedMs }) => (modifiedMs === undefined ? '' : <TimeAgo time={new Date(modifiedMs).toISOString()} />),
  },
  {
    id: 'mode',
    header: texts.mode,
    width: '8rem',
    wideOnly: true,
    cell: ({ mode }) => (mode === undefined ? '' : <code className={classes['mode']}>{modeText(mode)}</code>),
  },
  { id: 'owner', header: texts.owner, sortBy: 'owner', width: '9rem', wideOnly: true, cell: ({ owner }) => owner },
]

interface RowActionProps {
  readonly label: string
  readonly hint: string
  readonly icon: typeof Download
  readonly onClick: () => void
}

function RowAction({ label, hint, icon: Icon, onClick }: RowActionProps) {
  return (
    <IconButton data-tip={hint} aria-label={label} onClick={onClick}>
      <Icon size={15} aria-hidden />
    </IconButton>
  )
}
