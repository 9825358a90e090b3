// Snippets that a namespace shares: every member reads them, administrators change them.
import { type SharedSnippet, snippets } from '@bowline/contract/operations/fleet/snippets'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedAction, GatedButton } from '../../ui/feedback/gated.tsx'
import { Text } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { BackLink } from '../../ui/page/back-link.tsx'
import { Page } from '../../ui/page/page.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { sharedSnippetMessages as texts } from './messages.ts'
import { onOneLine } from './one-line.ts'
import { SHARED_SNIPPETS, sharedSnippetsQuery } from './queries.ts'
import { AddSnippet, EditSnippet } from './snippet-dialogs.tsx'
import classes from './shared-snippets.module.css'

const COLUMNS: readonly Column<SharedSnippet>[] = [
  { id: 'name', header: texts.columns.name, cell: ({ name }) => <span className={cells['primary']}>{name}</span> },
  {
    id: 'text',
    header: texts.columns.text,
    cell: ({ text }) => (
      <code className={classes['text']} title={text}>
        {onOneLine(text)}
      </code>
    ),
  },
  {
    id: 'devices',
    header: texts.columns.devices,
    cell: ({ tags }) => tags.join(', ') || texts.allDevices,
    wideOnly: true,
  },
  {
    id: 'changed',
    header: texts.columns.changed,
    cell: ({ changed_at: at, changed_by: { name } }) => (
      <span>
        <TimeAgo time={at} /> {texts.by(name)}
      </span>
    ),
    wideOnly: true,
  },
]

export function SnippetsPage() {
  const { api } = useRuntime()
  const may = useMay('namespaceUpdate')
  const list = useQuery(sharedSnippetsQuery(api))
  const [isAdding, setAdding] = useState(false)
  const [editing, setEditing] = useState<SharedSnippet>()
  const [removing, setRemoving] = useState<SharedSnippet>()
  const remove = useAction({
    call: ({ id }: SharedSnippet) => api.call(snippets.remove, { params: { id } }),
    done: ({ name }) => texts.removed(name),
    failed: ({ name }) => texts.removeFailed(name),
    invalidates: [SHARED_SNIPPETS],
  })
  const gate = { may, why: texts.roleTooLow }
  return (
    <Page
      title={texts.title}
      trail={<BackLink to="/settings" label={texts.back} />}
      actions={
        <GatedButton {...gate} leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          {texts.add}
        </GatedButton>
      }
    >
      <Text size="sm" c="dimmed" mb="md">
        {texts.intro}
      </Text>
      {list.isError && !list.data ? (
        <ErrorPanel title={texts.loadFailed} error={list.error} onRetry={() => list.refetch()} />
      ) : (
        <DataTable
          label={texts.tableLabel}
          columns={COLUMNS}
          rows={list.data}
          rowKey={({ id }) => id}
          renderActions={(snippet) => (
            <>
              <GatedAction
                {...gate}
                label={texts.editNamed(snippet.name)}
                hint={texts.edit}
                onClick={() => setEditing(snippet)}
              >
                <Pencil size={15} aria-hidden />
              </GatedAction>
              <GatedAction
                {...gate}
                label={texts.removeNamed(snippet.name)}
                hint={texts.remove}
                onClick={() => setRemoving(snippet)}
              >
                <Trash2 size={15} aria-hidden />
              </GatedAction>
            </>
          )}
          empty={<EmptyState icon={<SquareTerminal size={24} />} title={texts.empty} text={texts.emptyText} />}
        />
      )}
      <AddSnippet opened={isAdding} onClose={() => setAdding(false)} />
      <EditSnippet snippet={editing} onClose={() => setEditing(undefined)} />
      <Confirm
        opened={removing !== undefined}
        title={texts.removeTitle(removing?.name ?? '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </Page>
  )
}
