// The audit log: who changed what, from where.
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { ClipboardList, Download, Lock } from 'lucide-react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import type { Column } from '../../ui/list/data-table.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button, Text } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { saveFile } from '../../ui/text/save-file.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import cells from '../../ui/list/cells.module.css'
import { auditMessages as texts } from './messages.ts'
import { ENTRIES_PER_PAGE, auditListQuery, fetchAuditLog } from './queries.ts'
import classes from './audit.module.css'

const route = getRouteApi('/app/audit')
const actions: ReadonlyMap<string, string> = new Map(Object.entries(texts.actions))

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    id: 'action',
    header: texts.columns.action,
    cell: ({ action, target, details }) => (
      <span className={classes['what']}>
        <span className={classes['action']}>{actions.get(action) ?? action}</span>
        <Target action={action} target={target} details={details} />
      </span>
    ),
  },
  { id: 'who', header: texts.columns.who, cell: ({ actor }) => <Who actor={actor} /> },
  { id: 'when', header: texts.columns.when, width: '8rem', cell: ({ at }) => <TimeAgo time={at} /> },
  { id: 'from', header: texts.columns.from, cell: ({ ip }) => <span className={cells['mono']}>{ip}</span> },
  { id: 'details', header: texts.columns.details, cell: ({ details }) => <Details details={details} /> },
]

export function AuditPage() {
  const { page } = route.useSearch()
  const { api } = useRuntime()
  const navigate = useNavigate()
  const may = useMay('namespaceUpdate')
  const list = useQuery({ ...auditListQuery(api, page), enabled: may })
  const download = useAction({
    call: async () => saveFile(await fetchAuditLog(api), 'audit-log.jsonl'),
    failed: texts.exportFailed,
  })
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
        <Button
          variant="default"
          title={texts.exportHint}
          leftSection={<Download size={16} aria-hidden />}
          onClick={() => void download.run()}
        >
          {texts.export}
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="md">
        {texts.intro}
      </Text>
      <PagedTable
        label={texts.tableLabel}
        list={list}
        failed={texts.loadFailed}
        columns={COLUMNS}
        rowKey={({ id }) => String(id)}
        page={page}
        perPage={ENTRIES_PER_PAGE}
        onPageGone={(last) => void navigate({ to: '/audit', search: { page: last }, replace: true })}
        renderPageLink={(target, children, label, className) => (
          <Link to="/audit" search={{ page: target }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
        empty={<EmptyState icon={<ClipboardList size={24} />} title={texts.empty} text={texts.emptyText} />}
      />
    </Page>
  )
}

/** The target of the action; a link where it has a page. */
function Target({ action, target, details }: Pick<AuditEntry, 'action' | 'target' | 'details'>) {
  const named = details['name']
  const short = typeof named === 'string' ? named : target.length > 20 ? `${target.slice(0, 12)}…` : target
  const noun = action.split('.', 1)[0]
  if (target === '') return null
  if (noun === 'device') {
    return (
      <Link to="/devices/$uid" params={{ uid: target }} className={cells['mono']}>
        {short}
      </Link>
    )
  }
  if (noun === 'session' || noun === 'recording') {
    return (
      <Link to="/sessions/$uid" params={{ uid: target.split(' ', 1)[0] ?? '' }} className={cells['mono']}>
        {short}
      </Link>
    )
  }
  return <span className={cells['mono']}>{short}</span>
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
