// What an administrator sees of a person beside the account: namespaces, sign-ins, activity.
import { administration } from '@bowline/contract/operations/instance/administration'
import type { AccountEvent } from '@bowline/contract/schemas/account-event'
import type { DescribedPerson } from '@bowline/contract/schemas/instance/administration'
import type { SignIn } from '@bowline/contract/schemas/sign-in'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Badge, Button, Text } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { browserName } from '../../ui/text/browser-name.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { profileMessages } from '../profile/messages.ts'
import { administrationMessages } from './messages.ts'
import { PEOPLE, activityQuery, signInsQuery } from './queries.ts'

const texts = administrationMessages.person
type Membership = DescribedPerson['memberships'][number]

const MEMBERSHIPS: readonly Column<Membership>[] = [
  {
    id: 'namespace',
    header: texts.membershipColumns.namespace,
    cell: ({ tenant_id: tenant, namespace }) => (
      <Link to="/instance/namespaces/$tenant" params={{ tenant }}>
        {namespace}
      </Link>
    ),
  },
  { id: 'role', header: texts.membershipColumns.role, cell: ({ role }) => administrationMessages.roles[role] },
  {
    id: 'state',
    header: texts.membershipColumns.state,
    cell: ({ status, disabled }) => (
      <Badge variant="default" tt="none">
        {disabled ? administrationMessages.disabled : status === 'pending' ? texts.invited : texts.member}
      </Badge>
    ),
  },
]

export function PersonMemberships({ memberships }: Pick<DescribedPerson, 'memberships'>) {
  return (
    <SectionCard title={texts.memberships} text={texts.membershipsText}>
      <DataTable
        label={texts.membershipsTable}
        columns={MEMBERSHIPS}
        rows={memberships}
        rowKey={({ tenant_id: tenant }) => tenant}
        empty={
          <Text size="sm" p="sm">
            {texts.noMemberships}
          </Text>
        }
      />
    </SectionCard>
  )
}

const SIGN_INS: readonly Column<SignIn>[] = [
  { id: 'browser', header: texts.signInColumns.browser, cell: ({ browser }) => browserName(browser) },
  {
    id: 'source',
    header: texts.signInColumns.source,
    cell: ({ source }) => <span className={cells['mono']}>{source}</span>,
  },
  { id: 'used', header: texts.signInColumns.used, width: '9rem', cell: ({ last_seen: at }) => <TimeAgo time={at} /> },
]

export function PersonSignIns({ user }: { readonly user: string }) {
  const { api } = useRuntime()
  const list = useQuery(signInsQuery(api, user))
  const [asked, setAsked] = useState(false)
  const end = useAction({
    call: () => api.call(administration.endSignIns, { params: { user } }),
    done: texts.endedSignIns,
    failed: texts.endSignInsFailed,
    invalidates: [PEOPLE],
  })
  return (
    <SectionCard
      title={texts.signIns}
      text={texts.signInsText}
      actions={
        list.data?.length ? (
          <Button variant="default" size="xs" onClick={() => setAsked(true)}>
            {texts.endSignIns}
          </Button>
        ) : null
      }
    >
      {list.isError ? (
        <ErrorPanel title={texts.detailFailed} error={list.error} onRetry={() => list.refetch()} />
      ) : (
        <DataTable
          label={texts.signInsTable}
          columns={SIGN_INS}
          rows={list.data}
          rowKey={({ id }) => id}
          empty={
            <Text size="sm" p="sm">
              {texts.noSignIns}
            </Text>
          }
        />
      )}
      <Confirm
        opened={asked}
        title={`${texts.endSignIns}?`}
        action={texts.endSignIns}
        onClose={() => setAsked(false)}
        onConfirm={() => void end.run()}
      >
        <Text size="sm">{texts.endSignInsText}</Text>
      </Confirm>
    </SectionCard>
  )
}

const ACTIVITY: readonly Column<AccountEvent>[] = [
  {
    id: 'what',
    header: texts.activityColumns.what,
    cell: ({ kind, count }) => `${profileMessages.events[kind]}${profileMessages.times(count)}`,
  },
  { id: 'when', header: texts.activityColumns.when, width: '9rem', cell: ({ last_at: at }) => <TimeAgo time={at} /> },
  {
    id: 'from',
    header: texts.activityColumns.from,
    cell: ({ source }) => <span className={cells['mono']}>{source}</span>,
  },
]

export function PersonActivity({ user }: { readonly user: string }) {
  const { api } = useRuntime()
  const list = useQuery(activityQuery(api, user))
  return (
    <SectionCard title={texts.activity} text={texts.activityText}>
      {list.isError ? (
        <ErrorPanel title={texts.detailFailed} error={list.error} onRetry={() => list.refetch()} />
      ) : (
        <DataTable
          label={texts.activityTable}
          columns={ACTIVITY}
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
