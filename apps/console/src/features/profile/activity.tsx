// Recent events of the signed-in person's account.
import { users } from '@bowline/contract/operations/users'
import type { AccountEvent } from '@bowline/contract/schemas/account-event'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Text } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import cells from '../../ui/list/cells.module.css'
import { profileMessages as texts } from './messages.ts'

const SHOWN = '20'

const COLUMNS: readonly Column<AccountEvent>[] = [
  { id: 'what', header: texts.columns.what, cell: ({ kind, count }) => `${texts.events[kind]}${texts.times(count)}` },
  { id: 'when', header: texts.columns.when, width: '8rem', cell: ({ last_at }) => <TimeAgo time={last_at} /> },
  { id: 'from', header: texts.columns.from, cell: (event) => <Source event={event} /> },
]

export function Activity() {
  const { api } = useRuntime()
  const list = useQuery({
    queryKey: ['account-activity'],
    queryFn: async ({ signal }) => (await api.call(users.listActivity, { query: { per_page: SHOWN }, signal })).body,
    staleTime: 0,
  })
  return (
    <SectionCard id="activity" title={texts.activity} text={texts.activityText}>
      {list.error ? (
        <ErrorPanel title={texts.activityFailed} error={list.error} />
      ) : (
        <DataTable
          label={texts.activityTable}
          columns={COLUMNS}
          rows={list.data}
          rowKey={({ id }) => String(id)}
          empty={
            <Text size="sm" p="sm">
              {texts.noActivity}
            </Text>
          }
        />
      )}
    </SectionCard>
  )
}

function Source({ event: { kind, source, user_agent } }: { readonly event: AccountEvent }) {
  if (source === '') return kind === 'sign-in.guard' ? texts.everywhere : texts.commandLine
  return (
    <span className={cells['mono']} title={user_agent}>
      {source}
    </span>
  )
}
