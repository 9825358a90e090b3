// Identities of sign-in providers that are linked to the signed-in person's account, and the removal of each.
import { users } from '@bowline/contract/operations/users'
import type { LinkedIdentity } from '@bowline/contract/schemas/user'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import type { Runtime } from '../../core/runtime.ts'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Text } from '../../ui/kit.ts'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { identityMessages as texts } from './identity-messages.ts'

/** The card's place on the profile. */
const ANCHOR = 'linked-identities'
const LIST = ['own-identities'] as const

const identitiesQuery = (api: Runtime['api']) =>
  queryOptions({
    queryKey: LIST,
    queryFn: async ({ signal }) => (await api.call(users.listIdentities, { signal })).body,
    staleTime: 0,
  })

const COLUMNS: readonly Column<LinkedIdentity>[] = [
  {
    id: 'provider',
    header: texts.columns.provider,
    cell: ({ provider, issuer }) => <span title={issuer}>{provider}</span>,
  },
  {
    id: 'who',
    header: texts.columns.who,
    cell: ({ email, subject }) => <span title={subject}>{email === '' ? subject : email}</span>,
  },
  {
    id: 'linked',
    header: texts.columns.linked,
    cell: ({ linked_at, linked_by }) => (
      <>
        <TimeAgo time={linked_at} /> {texts.by[linked_by]}
      </>
    ),
  },
  {
    id: 'used',
    header: texts.columns.used,
    width: '8rem',
    cell: ({ last_used_at }) => <TimeAgo time={last_used_at} />,
  },
]

export function Identities() {
  const { api, session } = useRuntime()
  const list = useQuery(identitiesQuery(api))
  const [removing, setRemoving] = useState<LinkedIdentity>()
  const remove = useAction({
    async call({ id }: LinkedIdentity) {
      await api.call(users.removeIdentity, { params: { id } })
      await session.renew()
    },
    done: ({ provider }) => texts.removed(provider),
    failed: texts.removeFailed,
    invalidates: [LIST],
  })
  return (
    <SectionCard id={ANCHOR} title={texts.title} text={texts.text}>
      {list.error ? (
        <ErrorPanel title={texts.loadFailed} error={list.error} />
      ) : (
        <DataTable
          label={texts.title}
          columns={COLUMNS}
          rows={list.data}
          rowKey={({ id }) => id}
          empty={
            <Text size="sm" p="sm">
              {texts.empty}
            </Text>
          }
          renderActions={(identity) => (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={texts.removeNamed(identity.email, identity.provider)}
              onClick={() => setRemoving(identity)}
            >
              {texts.remove}
            </Button>
          )}
        />
      )}
      <Confirm
        opened={removing !== undefined}
        title={texts.removeTitle(removing?.provider ?? '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </SectionCard>
  )
}

/** Says, beside what ends sessions, that identities go on to sign in; nothing for people who have none. */
export function IdentitiesStay() {
  const { api } = useRuntime()
  const { data = [] } = useQuery(identitiesQuery(api))
  if (data.length === 0) return null
  return (
    <Text size="sm" mt="md">
      {texts.stay}{' '}
      <Link to="/profile" hash={ANCHOR}>
        {texts.check}
      </Link>
      .
    </Text>
  )
}
