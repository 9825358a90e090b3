// The API keys of the namespace.
import { apiKeys as operations } from '@bowline/contract/operations/api-keys'
import type { ApiKey } from '@bowline/contract/schemas/api-key'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { KeySquare, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import type { Column } from '../../ui/list/data-table.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { Text } from '../../ui/kit.ts'
import { formatMoment } from '../../ui/text/numbers.ts'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { useNow } from '../../ui/text/ticker.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import cells from '../../ui/list/cells.module.css'
import { namespaceQuery } from '../namespaces/queries.ts'
import { ApiKeyDialog } from './api-key-dialog.tsx'
import { endOf, expiresSoon } from './expiry.ts'
import type { TeamTabProps } from './members-tab.tsx'
import { teamMessages as texts } from './messages.ts'
import { API_KEYS_PER_PAGE, API_KEY_LISTS, apiKeyListQuery } from './queries.ts'
import { scopeNames } from './scopes.ts'
import { API_KEY_SORTS } from './search.ts'
import classes from './team.module.css'

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    id: 'name',
    header: texts.keyColumns.name,
    sortBy: 'name',
    cell: ({ name }) => (
      <Link from="/team" to="/team" search={(before) => ({ ...before, edit: name })} className={cells['primary']}>
        {name}
      </Link>
    ),
  },
  { id: 'role', header: texts.keyColumns.role, sortBy: 'role', cell: ({ role }) => texts.roles[role] },
  { id: 'scopes', header: texts.keyColumns.scopes, cell: ({ scopes }) => <Scopes scopes={scopes} />, wideOnly: true },
  { id: 'by', header: texts.keyColumns.by, cell: (key) => <MadeBy apiKey={key} />, wideOnly: true },
  {
    id: 'created',
    header: texts.keyColumns.created,
    sortBy: 'created_at',
    cell: (key) => <TimeAgo time={key.created_at} />,
  },
  { id: 'expires', header: texts.keyColumns.expires, sortBy: 'expires_in', cell: (key) => <Expiry apiKey={key} /> },
]

export function ApiKeysTab({ search, onOpen }: TeamTabProps) {
  const { api } = useRuntime()
  const mayRemove = useMay('apiKeyDelete')
  const [removing, setRemoving] = useState<ApiKey>()
  const sort = API_KEY_SORTS.find((known) => known === search.sort) ?? 'expires_in'
  const order = search.order ?? (sort === 'name' || sort === 'role' ? 'asc' : 'desc')
  const list = useQuery(apiKeyListQuery(api, { page: search.page, sort, order }))
  const remove = useAction({
    call: ({ name }: ApiKey) => api.call(operations.remove, { params: { key: name } }),
    done: ({ name }) => texts.keyRemoved(name),
    failed: ({ name }) => texts.keyRemoveFailed(name),
    invalidates: [API_KEY_LISTS],
  })
  const edited = search.add === 'yes' ? 'new' : list.data?.items.find(({ name }) => name === search.edit)
  return (
    <>
      <PagedTable
        label={texts.keysLabel}
        list={list}
        failed={texts.keysFailed}
        columns={COLUMNS}
        rowKey={({ name }) => name}
        sort={{ by: sort, order }}
        onSort={(next) =>
          onOpen({ page: 1, sort: API_KEY_SORTS.find((known) => known === next.by), order: next.order })
        }
        renderActions={(key) => (
          <GatedAction
            may={mayRemove}
            why={texts.roleTooLow}
            label={texts.removeKeyNamed(key.name)}
            hint={texts.removeKey}
            onClick={() => setRemoving(key)}
          >
            <Trash2 size={15} aria-hidden />
          </GatedAction>
        )}
        empty={
          <EmptyState icon={<KeySquare size={24} />} title={texts.emptyKeys} text={texts.emptyKeysText}>
            <a href="/docs/">{texts.toApi}</a>
          </EmptyState>
        }
        page={search.page}
        perPage={API_KEYS_PER_PAGE}
        onPageGone={(last) => onOpen({ page: last }, true)}
        renderPageLink={(target, children, label, className) => (
          <Link to="/team" search={{ ...search, page: target }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
      />
      <ApiKeyDialog edited={edited} onClose={() => onOpen({ add: undefined, edit: undefined }, true)} />
      <Confirm
        opened={removing !== undefined}
        title={texts.removeKeyTitle(removing?.name ?? '')}
        action={texts.removeKey}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeKeyText}</Text>
      </Confirm>
    </>
  )
}

/** The first two by name, and how many more. */
function Scopes({ scopes }: { readonly scopes: ApiKey['scopes'] }) {
  if (scopes === null) return texts.unlimited
  const names = scopeNames(scopes)
  const more = names.length - 2
  return <span title={names.join(', ')}>{`${names.slice(0, 2).join(', ')}${more > 0 ? ` +${more}` : ''}`}</span>
}

/** E-mail address of the member who created it; empty for former members. */
function MadeBy({ apiKey }: { readonly apiKey: ApiKey }) {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const { data } = useQuery(namespaceQuery(api, tenant))
  return data?.members.find(({ id }) => id === apiKey.created_by)?.email ?? ''
}

function Expiry({ apiKey }: { readonly apiKey: ApiKey }) {
  const nowMs = useNow()
  const endMs = endOf(apiKey)
  if (endMs === undefined) return texts.never
  const moment = formatMoment(new Date(endMs).toISOString())
  if (endMs <= nowMs) return <span className={classes['gone']}>{`${texts.expired} · ${moment}`}</span>
  if (expiresSoon(apiKey, nowMs)) return <span className={classes['warn']}>{`${texts.expiresSoon} · ${moment}`}</span>
  return moment
}
