// The audit log: who changed what, from where.
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { ClipboardList, Lock, SearchX } from 'lucide-react'
import { useCallback } from 'react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { useListExport } from '../../core/use-list-export.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { ExportButtons } from '../../ui/controls/export-buttons.tsx'
import { Text } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import type { Column } from '../../ui/list/data-table.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { Toolbar } from '../../ui/list/toolbar.tsx'
import { Page } from '../../ui/page/page.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { AuditTabs } from './audit-tabs.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { EntriesOfJob, describeBulkChange } from './bulk-change.tsx'
import { describeJoinEnd } from './join-end.ts'
import classes from './audit.module.css'
import { nameOfAction, auditMessages as texts } from './messages.ts'
import { ENTRIES_PER_PAGE, auditListQuery, openAuditExport } from './queries.ts'
import { type AuditSearch, isFiltered } from './search.ts'

const route = getRouteApi('/app/audit')

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    id: 'action',
    header: texts.columns.action,
    cell: (entry) => (
      <span className={classes['what']}>
        <Action entry={entry} />
        <Target entry={entry} />
      </span>
    ),
  },
  { id: 'who', header: texts.columns.who, cell: ({ actor }) => <Who actor={actor} /> },
  { id: 'when', header: texts.columns.when, width: '8rem', cell: ({ at }) => <TimeAgo time={at} /> },
  { id: 'from', header: texts.columns.from, cell: ({ ip }) => <span className={cells['mono']}>{ip}</span> },
  { id: 'details', header: texts.columns.details, cell: ({ details }) => <Details details={details} /> },
]

export function AuditPage() {
  const search = route.useSearch()
  const { api } = useRuntime()
  const navigate = route.useNavigate()
  const may = useMay('auditRead')
  const list = useQuery({ ...auditListQuery(api, search), enabled: may })
  const download = useListExport({
    name: 'audit-log',
    open: (format) => openAuditExport(api, search, format),
    failed: texts.exportFailed,
  })
  const choose = useCallback(
    (change: Partial<AuditSearch>) =>
      void navigate({ search: (before) => ({ ...before, page: 1, ...change }), replace: true }),
    [navigate],
  )
  const searchFor = useCallback((words: string) => choose({ q: words === '' ? undefined : words }), [choose])
  if (!may) {
    return (
      <Page title={texts.title}>
        <EmptyState icon={<Lock size={24} />} title={texts.noAccess} text={texts.noAccessText} />
      </Page>
    )
  }
  return (
    <Page title={texts.title} actions={<ExportButtons names={texts.exports} onExport={download} />}>
      <AuditTabs active="entries" />
      <Text size="sm" c="dimmed" mb="md">
        {texts.intro}
      </Text>
      <Toolbar>
        <SearchField label={texts.search} words={search.q ?? ''} onSearch={searchFor} />
      </Toolbar>
      <AuditFilters search={search} onChoose={choose} />
      <PagedTable
        label={texts.tableLabel}
        list={list}
        failed={texts.loadFailed}
        columns={COLUMNS}
        rowKey={({ id }) => String(id)}
        page={search.page}
        perPage={ENTRIES_PER_PAGE}
        onPageGone={(page) => choose({ page })}
        renderPageLink={(page, children, label, className) => (
          <Link to="/audit" search={{ ...search, page }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
        empty={
          isFiltered(search) ? (
            <EmptyState icon={<SearchX size={24} />} title={texts.noMatches} text={texts.noMatchesText} />
          ) : (
            <EmptyState icon={<ClipboardList size={24} />} title={texts.empty} text={texts.emptyText} />
          )
        }
      />
    </Page>
  )
}

/** The action, as a link to all entries of it. */
function Action({ entry }: { readonly entry: AuditEntry }) {
  const { action } = entry
  const name = nameOfAction(action)
  return (
    <Link
      to="/audit"
      search={(before) => ({ ...before, page: 1, action })}
      title={texts.onlyAction(name)}
      className={classes['action']}
    >
      {describeBulkChange(entry) ?? describeJoinEnd(entry) ?? name}
    </Link>
  )
}

const MAX_TARGET = 20

/** The target of the action; a link where it has a page. */
function Target({ entry: { action, target, target_name: name } }: { readonly entry: AuditEntry }) {
  const shown = name ?? (target.length > MAX_TARGET ? `${target.slice(0, 12)}…` : target)
  const noun = action.split('.', 1)[0]
  if (target === '') return null
  if (action === 'device.bulk' || action === 'device.bulk-end') return <EntriesOfJob id={target} />
  if (noun === 'device') {
    return (
      <Link to="/devices/$uid" params={{ uid: target }} className={cells['mono']}>
        {shown}
      </Link>
    )
  }
  if (noun === 'session' || noun === 'recording') {
    return (
      <Link to="/sessions/$uid" params={{ uid: target.split(' ', 1)[0] ?? '' }} className={cells['mono']}>
        {shown}
      </Link>
    )
  }
  return <span className={cells['mono']}>{shown}</span>
}

function Who({ actor }: { readonly actor: AuditEntry['actor'] }) {
  const person = usePerson()
  const kind = texts.actors[actor.type]
  const name = actor.name === '' ? (actor.id === person?.id ? person.user : texts.removedActor) : actor.name
  return actor.type === 'system' ? kind : `${kind === '' ? '' : `${kind} `}${name}`
}

function Details({ details }: { readonly details: AuditEntry['details'] }) {
  if (Object.keys(details).length === 0) return null
  return (
    <details className={classes['details']}>
      <summary>{texts.show}</summary>
      <pre>{JSON.stringify(details, undefined, 2)}</pre>
    </details>
  )
}
