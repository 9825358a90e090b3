// Audit streams of the namespace.
import { type AuditStream, auditStreams } from '@bowline/contract/operations/fleet/audit-streams'
import { useQuery } from '@tanstack/react-query'
import { Lock, Pause, Pencil, Play, Plus, Send, Trash2, Waypoints } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { serverText } from '../../platform/language/server-text.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { notifyOf } from '../../ui/feedback/notify.tsx'
import { Button, Text } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { Page } from '../../ui/page/page.tsx'
import { AuditTabs } from '../audit/audit-tabs.tsx'
import { auditMessages } from '../audit/messages.ts'
import { streamMessages as texts } from './messages.ts'
import { STREAMS, streamsQuery } from './queries.ts'
import { AddStream, EditStream } from './stream-dialogs.tsx'
import { StreamState } from './stream-state.tsx'

const COLUMNS: readonly Column<AuditStream>[] = [
  { id: 'name', header: texts.columns.name, cell: ({ name }) => <span className={cells['primary']}>{name}</span> },
  { id: 'host', header: texts.columns.host, cell: ({ host }) => <span className={cells['mono']}>{host}</span> },
  { id: 'format', header: texts.columns.format, cell: ({ format }) => texts.formats[format], wideOnly: true },
  { id: 'nouns', header: texts.columns.nouns, cell: (stream) => entriesOf(stream), wideOnly: true },
  { id: 'state', header: texts.columns.state, cell: (stream) => <StreamState stream={stream} /> },
]

export function StreamsPage() {
  const { api } = useRuntime()
  const may = useMay('namespaceUpdate')
  const list = useQuery({ ...streamsQuery(api), enabled: may })
  const [isAdding, setAdding] = useState(false)
  const [editing, setEditing] = useState<AuditStream>()
  const [removing, setRemoving] = useState<AuditStream>()
  const actions = useStreamActions()
  if (!may) {
    return (
      <Page title={texts.title}>
        <EmptyState icon={<Lock size={24} />} title={texts.noAccess} text={texts.noAccessText} />
      </Page>
    )
  }
  return (
    <Page
      title={texts.title}
      actions={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      }
    >
      <AuditTabs active="streams" />
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
          renderActions={(stream) => (
            <>
              <RowAction label={texts.testNamed(stream.name)} hint={texts.test} onClick={() => actions.test(stream)}>
                <Send size={15} aria-hidden />
              </RowAction>
              <RowAction
                label={stream.active ? texts.pauseNamed(stream.name) : texts.resumeNamed(stream.name)}
                hint={stream.active ? texts.pause : texts.resume}
                onClick={() => actions.switchTo(stream, !stream.active)}
              >
                {stream.active ? <Pause size={15} aria-hidden /> : <Play size={15} aria-hidden />}
              </RowAction>
              <RowAction label={texts.editNamed(stream.name)} hint={texts.edit} onClick={() => setEditing(stream)}>
                <Pencil size={15} aria-hidden />
              </RowAction>
              <RowAction label={texts.removeNamed(stream.name)} hint={texts.remove} onClick={() => setRemoving(stream)}>
                <Trash2 size={15} aria-hidden />
              </RowAction>
            </>
          )}
          empty={<EmptyState icon={<Waypoints size={24} />} title={texts.empty} text={texts.emptyText} />}
        />
      )}
      <AddStream opened={isAdding} onClose={() => setAdding(false)} />
      <EditStream stream={editing} onClose={() => setEditing(undefined)} />
      <Confirm
        opened={removing !== undefined}
        title={texts.removeTitle(removing?.name ?? '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && actions.remove(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </Page>
  )
}

function useStreamActions() {
  const { api } = useRuntime()
  const invalidates = [STREAMS]
  const test = useAction({
    call: async ({ id }: AuditStream) => {
      const { body } = await api.call(auditStreams.test, { params: { id } })
      if (!body.arrived) throw new Error(serverText(body.answer))
      notifyOf({ id: 'audit stream', title: texts.tested })
    },
    failed: texts.testFailed,
    invalidates,
  })
  const change = useAction({
    call: ({ stream, active }: { stream: AuditStream; active: boolean }) =>
      api.call(auditStreams.update, { params: { id: stream.id }, body: { active } }),
    done: ({ stream, active }) => (active ? texts.resumed(stream.name) : texts.paused(stream.name)),
    failed: ({ stream }) => texts.pauseFailed(stream.name),
    invalidates,
  })
  const remove = useAction({
    call: ({ id }: AuditStream) => api.call(auditStreams.remove, { params: { id } }),
    done: ({ name }) => texts.removed(name),
    failed: ({ name }) => texts.removeFailed(name),
    invalidates,
  })
  return {
    test: (stream: AuditStream) => void test.run(stream),
    switchTo: (stream: AuditStream, active: boolean) => void change.run({ stream, active }),
    remove: (stream: AuditStream) => void remove.run(stream),
  }
}

interface RowActionProps {
  readonly label: string
  readonly hint: string
  readonly onClick: () => void
  readonly children: React.ReactNode
}

/** The page is for those who may. */
function RowAction(props: RowActionProps) {
  return <GatedAction may why="" {...props} />
}

function entriesOf({ nouns, recordings }: AuditStream): string {
  const known: Readonly<Record<string, string>> = auditMessages.nouns
  const entries = nouns.map((noun) => known[noun] ?? noun).join(', ') || texts.allEntries
  return recordings ? texts.andRecordings(entries) : entries
}
