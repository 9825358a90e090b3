// People of the whole server.
import type { ListedPerson } from '@bowline/contract/schemas/instance/administration'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { Badge, Button, NativeSelect, Text } from '../../ui/kit.ts'
import type { Column } from '../../ui/list/data-table.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { Toolbar } from '../../ui/list/toolbar.tsx'
import { Page } from '../../ui/page/page.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import classes from './administration.module.css'
import { CreateAccount } from './create-account.tsx'
import { administrationMessages } from './messages.ts'
import { OnlyAdministrators } from './only-administrators.tsx'
import { ROWS_PER_PAGE, peopleQuery } from './queries.ts'
import { PEOPLE_STATES, type PeopleSearch } from './search.ts'

const route = getRouteApi('/app/instance/people')
const texts = administrationMessages.people
const { columns } = texts

const COLUMNS: readonly Column<ListedPerson>[] = [
  {
    id: 'username',
    header: columns.username,
    sortBy: 'username',
    cell: ({ id, username, name }) => (
      <span className={classes['named']}>
        <Link to="/instance/people/$user" params={{ user: id }}>
          {username === '' ? texts.unnamed : username}
        </Link>
        <span className={classes['dimmed']}>{name}</span>
      </span>
    ),
  },
  {
    id: 'email',
    header: columns.email,
    sortBy: 'email',
    cell: ({ email }) => <span className={classes['long']}>{email}</span>,
  },
  { id: 'state', header: columns.state, width: '11rem', cell: (person) => <PersonBadges person={person} /> },
  { id: 'namespaces', header: columns.namespaces, width: '8rem', cell: ({ namespaces }) => namespaces },
  {
    id: 'last-login',
    header: columns.lastLogin,
    sortBy: 'last_login',
    width: '9rem',
    cell: ({ last_login: at }) => (at === null ? texts.never : <TimeAgo time={at} />),
  },
]

/** State of an account, and whether the person administers the server. */
export function PersonBadges({ person }: { readonly person: Pick<ListedPerson, 'state' | 'administrator'> }) {
  return (
    <span className={classes['badges']}>
      <Badge variant="default" tt="none">
        {texts.stateOf[person.state]}
      </Badge>
      {person.administrator ? (
        <Badge variant="default" tt="none">
          {texts.administrator}
        </Badge>
      ) : null}
    </span>
  )
}

export function PeoplePage() {
  return <OnlyAdministrators title={texts.title}>{() => <People />}</OnlyAdministrators>
}

function People() {
  const search = route.useSearch()
  const { api } = useRuntime()
  const navigate = useNavigate()
  const { page, q = '', state, sort, order } = search
  const go = (change: Partial<PeopleSearch>, replace = true) =>
    void navigate({ to: '/instance/people', search: { ...search, page: 1, ...change }, replace })
  return (
    <Page title={texts.title} actions={<CreateAccount />}>
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
            { value: '', label: texts.everybody },
            ...PEOPLE_STATES.map((one) => ({ value: one, label: texts.states[one] })),
          ]}
          onChange={(event) => go({ state: PEOPLE_STATES.find((one) => one === event.currentTarget.value) })}
        />
        {q !== '' || state !== undefined ? (
          <Button size="xs" variant="subtle" onClick={() => go({ q: undefined, state: undefined })}>
            {administrationMessages.clear}
          </Button>
        ) : null}
      </Toolbar>
      <PagedTable
        label={texts.table}
        list={useQuery(peopleQuery(api, search))}
        failed={texts.loadFailed}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        sort={{ by: sort, order }}
        onSort={(next) => go({ sort: next.by as PeopleSearch['sort'], order: next.order })}
        page={page}
        perPage={ROWS_PER_PAGE}
        onPageGone={(last) => go({ page: last })}
        renderPageLink={(target, children, label, className) => (
          <Link to="/instance/people" search={{ ...search, page: target }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
        empty={<EmptyState icon={<Users size={24} />} title={texts.empty} text={texts.emptyText} />}
      />
    </Page>
  )
}
