// List of the namespace's public keys and the devices they are for.
import type { PublicKey } from '@bowline/contract/schemas/public-key'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { KeyRound, Plus, SearchX, Trash2 } from 'lucide-react'
import { useCallback } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import type { Column } from '../../ui/list/data-table.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { GatedAction, GatedButton } from '../../ui/feedback/gated.tsx'
import { Switch, Text } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Toolbar } from '../../ui/list/toolbar.tsx'
import cells from '../../ui/list/cells.module.css'
import { describeFilter } from '../tags/device-choice.ts'
import { ANY } from '../tags/pattern-field.tsx'
import { useKeyActions } from './actions.ts'
import { KeyDialog } from './key-dialog.tsx'
import { algorithmOf } from './key-data.ts'
import { RegisteredFingerprint } from './key-fingerprint.tsx'
import { publicKeysMessages as texts } from './messages.ts'
import { OwnerName } from './owner-field.tsx'
import { KEYS_PER_PAGE, publicKeyListQuery } from './queries.ts'
import type { KeysSearch } from './search.ts'

const route = getRouteApi('/app/public-keys')

const COLUMNS: readonly Column<PublicKey>[] = [
  {
    id: 'name',
    header: texts.columns.name,
    cell: (key) => (
      <Link
        from="/public-keys"
        to="/public-keys"
        search={(before) => ({ ...before, edit: key.fingerprint })}
        className={cells['primary']}
      >
        {key.name}
      </Link>
    ),
  },
  {
    id: 'fingerprint',
    header: texts.columns.fingerprint,
    cell: (key) => (
      <span className={cells['mono']}>
        <Text span size="xs" c="dimmed">
          {algorithmOf(key.data)}
        </Text>{' '}
        <RegisteredFingerprint item={key} />
      </span>
    ),
    wideOnly: true,
  },
  {
    id: 'logins',
    header: texts.columns.logins,
    width: '7rem',
    cell: ({ username }) => (username === ANY ? texts.anyLogin : <code className={cells['code']}>{username}</code>),
  },
  { id: 'devices', header: texts.columns.devices, cell: ({ filter }) => describeFilter(filter) },
  { id: 'owner', header: texts.columns.owner, cell: (key) => <OwnerName of={key} /> },
  {
    id: 'added',
    header: texts.columns.added,
    width: '8rem',
    cell: (key) => <TimeAgo time={key.created_at} />,
  },
]

export function PublicKeysPage() {
  const search = route.useSearch()
  const { api } = useRuntime()
  const navigate = useNavigate({ from: '/public-keys' })
  const words = search.q ?? ''
  const list = useQuery(publicKeyListQuery(api, { page: search.page, words, isDisabled: search.disabled ?? false }))
  const actions = useKeyActions()
  const mayAdd = useMay('publicKeyCreate')
  const mayRemove = useMay('publicKeyRemove')
  const open = (next: Partial<KeysSearch>, replace = false) =>
    void navigate({ to: '/public-keys', search: { ...search, ...next }, replace })
  const searchFor = useCallback(
    (text: string) => {
      const q = text === '' ? undefined : text
      void navigate({ to: '/public-keys', search: (before) => ({ ...before, q, page: 1 }), replace: true })
    },
    [navigate],
  )
  const edited = search.edit === 'new' ? 'new' : list.data?.items.find((key) => key.fingerprint === search.edit)
  const add = (
    <GatedButton
      may={mayAdd}
      why={texts.roleTooLow}
      leftSection={<Plus size={16} aria-hidden />}
      onClick={() => open({ edit: 'new' })}
    >
      {texts.add}
    </GatedButton>
  )
  return (
    <Page title={texts.title} actions={add}>
      {words === '' && !search.disabled && list.data?.total === 0 ? null : (
        <Toolbar>
          <SearchField label={texts.search} words={words} onSearch={searchFor} />
          <Switch
            label={texts.onlyDisabled}
            checked={search.disabled ?? false}
            onChange={(event) => open({ disabled: event.currentTarget.checked ? true : undefined, page: 1 }, true)}
          />
        </Toolbar>
      )}
      <PagedTable
        label={texts.tableLabel}
        list={list}
        failed={texts.loadFailed}
        columns={COLUMNS}
        rowKey={(key) => key.fingerprint}
        renderActions={(key) => (
          <GatedAction
            may={mayRemove}
            why={texts.roleTooLow}
            label={texts.removeNamed(key.name)}
            hint={texts.remove}
            onClick={() => void actions.remove.run(key)}
          >
            <Trash2 size={15} aria-hidden />
          </GatedAction>
        )}
        empty={
          words === '' && !search.disabled ? (
            <EmptyState icon={<KeyRound size={24} />} title={texts.empty} text={texts.emptyText}>
              {add}
            </EmptyState>
          ) : (
            <EmptyState
              icon={<SearchX size={24} />}
              title={words === '' ? texts.noDisabled : texts.noMatches(words)}
              text={words === '' ? texts.noDisabledText : texts.noMatchesText}
            />
          )
        }
        page={search.page}
        perPage={KEYS_PER_PAGE}
        onPageGone={(last) => open({ page: last }, true)}
        renderPageLink={(target, children, label, className) => (
          <Link to="/public-keys" search={{ ...search, page: target }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
      />
      <KeyDialog edited={edited} onClose={() => open({ edit: undefined }, true)} />
    </Page>
  )
}
