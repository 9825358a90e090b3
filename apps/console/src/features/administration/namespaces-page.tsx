// Namespaces of the whole server, and the limits of those that have none of their own.
import type { ListedNamespace } from '@bowline/contract/schemas/instance/administration'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { ArchiveRestore, Boxes } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { Badge, Button, NativeSelect, Stack, Text } from '../../ui/kit.ts'
import type { Column } from '../../ui/list/data-table.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { Toolbar } from '../../ui/list/toolbar.tsx'
import { Page } from '../../ui/page/page.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import classes from './administration.module.css'
import { DefaultLimitsCard } from './limits-card.tsx'
import { administrationMessages } from './messages.ts'
import { OnlyAdministrators } from './only-administrators.tsx'
import { ROWS_PER_PAGE, namespacesQuery } from './queries.ts'
import { NAMESPACE_STATES, type NamespacesSearch } from './search.ts'

const route = getRouteApi('/app/instance/namespaces')
const texts = administrationMessages.namespaces
const { columns } = texts

const COLUMNS: readonly Column<ListedNamespace>[] = [
  {
    id: 'name',
    header: columns.name,
    sortBy: 'name',
    cell: ({ tenant_id: tenant, name, disabled_at: disabledAt }) => (
      <span className={classes['named']}>
        <Link to="/instance/namespaces/$tenant" params={{ tenant }}>
          {name}
        </Link>
        {disabledAt === null ? null : (
          <Badge variant="default" tt="none">
            {administrationMessages.disabled}
          </Badge>
        )}
      </span>
    ),
  },
  {
    id: 'owner',
    header: columns.owner,
    cell: ({ owner: { id, username, email } }) => (
      <Link to="/instance/people/$user" params={{ user: id }} className={classes['long']}>
        {username === '' ? email : username}
      </Link>
    ),
  },
  {
    id: 'devices',
    header: columns.devices,
    sortBy: 'devices',
    cell: ({ devices, online }) => texts.devices(devices, online),
  },
  { id: 'members', header: columns.members, width: '7rem', cell: ({ members }) => texts.members(members) },
  { id: 'sessions', header: columns.sessions, width: '6rem', cell: ({ active_sessions: sessions }) => sessions },
  {
    id: 'created',
    header: columns.created,
    sortBy: 'created_at',
    width: '9rem',
    cell: ({ created_at: at }) => <TimeAgo time={at} />,
  },
]

export function NamespacesPage() {
  return <OnlyAdministrators title={texts.title}>{() => <Namespaces />}</OnlyAdministrators>
}

function Namespaces() {
  const search = route.useSearch()
  const { api } = useRuntime()
  const navigate = useNavigate()
  const { page, q = '', state, sort, order } = search
  const go = (change: Partial<NamespacesSearch>) =>
    void navigate({ to: '/instance/namespaces', search: { ...search, page: 1, ...change }, replace: true })
  return (
    <Page
      title={texts.title}
      actions={
        <Button
          variant="default"
          leftSection={<ArchiveRestore size={15} aria-hidden />}
          renderRoot={(props) => <Link {...props} to="/instance/namespaces/deleted" />}
        >
          {texts.deleted}
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="md">
        {texts.intro}
      </Text>
      <Toolbar>
        <SearchField
          label={texts.searchLabel}
          words={q}
          onSearch={(words) => go({ q: words === '' ? undefined : words })}
        />
        <NativeSelect
          size="xs"
          aria-label={texts.filter}
          value={state ?? ''}
          data={[
            { value: '', label: texts.all },
            ...NAMESPACE_STATES.map((one) => ({ value: one, label: texts.states[one] })),
          ]}
          onChange={(event) => go({ state: NAMESPACE_STATES.find((one) => one === event.currentTarget.value) })}
        />
        {q !== '' || state !== undefined ? (
          <Button size="xs" variant="subtle" onClick={() => go({ q: undefined, state: undefined })}>
            {administrationMessages.clear}
          </Button>
        ) : null}
      </Toolbar>
      <Stack gap="lg">
        <PagedTable
          label={texts.table}
          list={useQuery(namespacesQuery(api, search))}
          failed={texts.loadFailed}
          columns={COLUMNS}
          rowKey={({ tenant_id: tenant }) => tenant}
          sort={{ by: sort, order }}
          onSort={(next) => go({ sort: next.by as NamespacesSearch['sort'], order: next.order })}
          page={page}
          perPage={ROWS_PER_PAGE}
          onPageGone={(last) => go({ page: last })}
          renderPageLink={(target, children, label, className) => (
            <Link
              to="/instance/namespaces"
              search={{ ...search, page: target }}
              aria-label={label}
              className={className}
            >
              {children}
            </Link>
          )}
          empty={<EmptyState icon={<Boxes size={24} />} title={texts.empty} text={texts.emptyText} />}
        />
        <DefaultLimitsCard />
      </Stack>
    </Page>
  )
}
