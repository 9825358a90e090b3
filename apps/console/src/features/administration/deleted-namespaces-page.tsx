// Deleted namespaces of the whole server, and the way back.
import { administration } from '@bowline/contract/operations/instance/administration'
import type { ListedDeletedNamespace } from '@bowline/contract/schemas/instance/administration'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { ArchiveRestore } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { Button, Text } from '../../ui/kit.ts'
import type { Column } from '../../ui/list/data-table.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { Toolbar } from '../../ui/list/toolbar.tsx'
import { BackLink } from '../../ui/page/back-link.tsx'
import { Page } from '../../ui/page/page.tsx'
import { formatMoment } from '../../ui/text/numbers.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import classes from './administration.module.css'
import { administrationMessages } from './messages.ts'
import { OnlyAdministrators } from './only-administrators.tsx'
import { NAMESPACES, ROWS_PER_PAGE, deletedOfServerQuery } from './queries.ts'
import type { DeletedNamespacesSearch } from './search.ts'

const route = getRouteApi('/app/instance/namespaces/deleted')
const { deleted: texts, namespaces } = administrationMessages
const { columns } = texts

const COLUMNS: readonly Column<ListedDeletedNamespace>[] = [
  { id: 'name', header: columns.name, cell: ({ name }) => <span className={classes['long']}>{name}</span> },
  {
    id: 'owner',
    header: columns.owner,
    cell: ({ owner: { id, username, email } }) => (
      <Link to="/instance/people/$user" params={{ user: id }} className={classes['long']}>
        {username === '' ? email : username}
      </Link>
    ),
  },
  { id: 'deleted', header: columns.deleted, width: '9rem', cell: ({ deleted_at: at }) => <TimeAgo time={at} /> },
  { id: 'removed', header: columns.removed, width: '14rem', cell: ({ removed_at: at }) => formatMoment(at) },
]

export function DeletedNamespacesPage() {
  return <OnlyAdministrators title={texts.title}>{() => <DeletedNamespaces />}</OnlyAdministrators>
}

function DeletedNamespaces() {
  const search = route.useSearch()
  const { api } = useRuntime()
  const navigate = useNavigate()
  const { page, q = '' } = search
  const go = (change: Partial<DeletedNamespacesSearch>) =>
    void navigate({ to: '/instance/namespaces/deleted', search: { ...search, page: 1, ...change }, replace: true })
  const isSearched = q !== ''
  return (
    <Page title={texts.title} trail={<BackLink to="/instance/namespaces" label={namespaces.back} />}>
      <Text size="sm" c="dimmed" mb="md">
        {texts.intro}
      </Text>
      <Toolbar>
        <SearchField
          label={namespaces.searchLabel}
          words={q}
          onSearch={(words) => go({ q: words === '' ? undefined : words })}
        />
      </Toolbar>
      <PagedTable
        label={texts.table}
        list={useQuery(deletedOfServerQuery(api, search))}
        failed={texts.loadFailed}
        columns={COLUMNS}
        rowKey={({ tenant_id: tenant }) => tenant}
        renderActions={(namespace) => <Restore namespace={namespace} />}
        page={page}
        perPage={ROWS_PER_PAGE}
        onPageGone={(last) => go({ page: last })}
        renderPageLink={(target, children, label, className) => (
          <Link
            to="/instance/namespaces/deleted"
            search={{ ...search, page: target }}
            aria-label={label}
            className={className}
          >
            {children}
          </Link>
        )}
        empty={
          <EmptyState
            icon={<ArchiveRestore size={24} />}
            title={isSearched ? texts.empty : texts.none}
            text={isSearched ? texts.emptyText : texts.noneText}
          />
        }
      />
    </Page>
  )
}

function Restore({ namespace: { tenant_id: tenant, name } }: { readonly namespace: ListedDeletedNamespace }) {
  const { api } = useRuntime()
  const restore = useAction({
    call: () => api.call(administration.restoreNamespace, { params: { namespace: tenant } }),
    done: texts.restored(name),
    failed: texts.restoreFailed(name),
    invalidates: [NAMESPACES],
  })
  return (
    <Button
      variant="default"
      size="compact-xs"
      aria-label={texts.restoreOf(name)}
      loading={restore.isPending}
      onClick={() => void restore.run()}
    >
      {texts.restore}
    </Button>
  )
}
