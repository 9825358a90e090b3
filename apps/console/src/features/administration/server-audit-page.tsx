// The audit logs of all namespaces and of the server itself: filters, entries page after page, exports.
import type { InstanceAuditEntry } from '@bowline/contract/schemas/instance/administration'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { ClipboardList, Download } from 'lucide-react'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { DayRange } from '../../ui/controls/day-range.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Group, Text, TextInput } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { Toolbar } from '../../ui/list/toolbar.tsx'
import { Page } from '../../ui/page/page.tsx'
import { saveFile } from '../../ui/text/save-file.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import audit from '../audit/audit.module.css'
import { describeBulkChange } from '../audit/bulk-change.tsx'
import { auditMessages } from '../audit/messages.ts'
import classes from './administration.module.css'
import { administrationMessages } from './messages.ts'
import { OnlyAdministrators } from './only-administrators.tsx'
import { fetchServerAudit, serverAuditQuery } from './queries.ts'
import { ServerAuditSearch } from './search.ts'

const route = getRouteApi('/app/instance/audit')
const texts = administrationMessages.audit
const { columns } = texts
const actions: ReadonlyMap<string, string> = new Map([
  ...Object.entries(auditMessages.actions),
  ...Object.entries(texts.actions),
])

const COLUMNS: readonly Column<InstanceAuditEntry>[] = [
  {
    id: 'action',
    header: columns.action,
    cell: ({ action, target, details }) => {
      const change = describeBulkChange({ action, details })
      return (
        <span className={audit['what']}>
          <span className={audit['action']}>{change ?? actions.get(action) ?? action}</span>
          {change === undefined ? <span className={cells['mono']}>{nameOf(target, details)}</span> : null}
        </span>
      )
    },
  },
  { id: 'namespace', header: columns.namespace, cell: (entry) => <Namespace entry={entry} /> },
  { id: 'who', header: columns.who, cell: ({ actor }) => <Who actor={actor} /> },
  { id: 'when', header: columns.when, width: '8rem', cell: ({ at }) => <TimeAgo time={at} /> },
  { id: 'from', header: columns.from, cell: ({ ip }) => <span className={cells['mono']}>{ip}</span> },
  { id: 'details', header: columns.details, cell: ({ details }) => <Details details={details} /> },
]

const MAX_TARGET = 20

function nameOf(target: string, details: InstanceAuditEntry['details']): string {
  const named = details['name'] ?? details['username']
  if (typeof named === 'string') return named
  return target.length > MAX_TARGET ? `${target.slice(0, 12)}…` : target
}

function Namespace({ entry: { tenant_id: tenant, namespace } }: { readonly entry: InstanceAuditEntry }) {
  if (tenant === '') return texts.server
  if (namespace === '') return texts.gone
  return (
    <Link to="/instance/namespaces/$tenant" params={{ tenant }}>
      {namespace}
    </Link>
  )
}

function Who({ actor }: Pick<InstanceAuditEntry, 'actor'>) {
  if (actor.type !== 'user') return `${auditMessages.actors[actor.type]} ${actor.name}`
  return (
    <Link to="/instance/people/$user" params={{ user: actor.id }}>
      {actor.name === '' ? auditMessages.removedActor : actor.name}
    </Link>
  )
}

function Details({ details }: Pick<InstanceAuditEntry, 'details'>) {
  if (Object.keys(details).length === 0) return null
  return (
    <details className={audit['details']}>
      <summary>{auditMessages.show}</summary>
      <pre>{JSON.stringify(details, undefined, 2)}</pre>
    </details>
  )
}

export function ServerAuditPage() {
  return <OnlyAdministrators title={texts.title}>{() => <Body />}</OnlyAdministrators>
}

function Body() {
  const search = route.useSearch()
  const { api } = useRuntime()
  const list = useInfiniteQuery(serverAuditQuery(api, search))
  const download = useAction({
    call: async (format: 'csv' | 'jsonl') => saveFile(await fetchServerAudit(api, search, format), `audit.${format}`),
    failed: texts.exportFailed,
  })
  return (
    <Page
      title={texts.title}
      actions={
        <Group gap="xs">
          {(['csv', 'jsonl'] as const).map((format) => (
            <Button
              key={format}
              variant="default"
              leftSection={<Download size={16} aria-hidden />}
              onClick={() => void download.run(format)}
            >
              {format === 'csv' ? texts.exportCsv : texts.exportJson}
            </Button>
          ))}
        </Group>
      }
    >
      <Text size="sm" c="dimmed" mb="md">
        {texts.intro}
      </Text>
      <Filters search={search} />
      {list.isError ? <ErrorPanel title={texts.loadFailed} error={list.error} onRetry={() => list.refetch()} /> : null}
      {list.isError && !list.data ? null : (
        <DataTable
          label={texts.table}
          columns={COLUMNS}
          rows={list.data?.pages.flat()}
          rowKey={({ id }) => String(id)}
          empty={<EmptyState icon={<ClipboardList size={24} />} title={texts.empty} text={texts.emptyText} />}
        />
      )}
      {list.hasNextPage ? (
        <div className={classes['more']}>
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {texts.more}
          </Button>
        </div>
      ) : null}
    </Page>
  )
}

function Filters({ search }: { readonly search: ServerAuditSearch }) {
  const navigate = useNavigate()
  const go = (change: Partial<ServerAuditSearch>) =>
    void navigate({ to: '/instance/audit', search: { ...search, ...change }, replace: true })
  const { namespace, person, action, from, to } = search
  const isFiltered = Object.values(search).some((value) => value !== undefined)
  return (
    <Toolbar>
      <ActionField key={action ?? ''} action={action ?? ''} onChoose={(chosen) => go({ action: chosen })} />
      <DayRange from={from} to={to} onChoose={go} />
      {namespace === undefined ? (
        <Button size="xs" variant="default" onClick={() => go({ namespace: 'server' })}>
          {texts.onlyServer}
        </Button>
      ) : (
        <Text size="sm">{namespace === 'server' ? texts.onlyServer : texts.onlyNamespace}</Text>
      )}
      {person === undefined ? null : <Text size="sm">{texts.onlyPerson}</Text>}
      {isFiltered ? (
        <Button
          size="xs"
          variant="subtle"
          onClick={() =>
            go({ namespace: undefined, person: undefined, action: undefined, from: undefined, to: undefined })
          }
        >
          {administrationMessages.clear}
        </Button>
      ) : null}
    </Toolbar>
  )
}

/** Sets the filter when the field is left or Enter is pressed, if what it holds is an action. */
function ActionField({
  action,
  onChoose,
}: {
  readonly action: string
  readonly onChoose: (action: string | undefined) => void
}) {
  const [text, setText] = useState(action)
  const choose = () => {
    const wanted = ServerAuditSearch.shape.action.parse(text.trim() === '' ? undefined : text.trim().toLowerCase())
    if (wanted !== (action === '' ? undefined : action)) onChoose(wanted)
  }
  return (
    <TextInput
      size="xs"
      aria-label={texts.actionFilter}
      placeholder={texts.actionHint}
      value={text}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={choose}
      onKeyDown={(event) => {
        if (event.key === 'Enter') choose()
      }}
    />
  )
}
