// Invitations of the signed-in person: the list, and acceptance.
import { auth } from '@bowline/contract/operations/auth'
import { members } from '@bowline/contract/operations/namespaces'
import type { Invitation } from '@bowline/contract/schemas/namespace'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { useRuntime } from '../../core/context.tsx'
import { type Action, useAction } from '../../core/use-action.ts'
import { peopleMessages as texts } from './messages.ts'

export const invitationsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['invitations'],
    queryFn: async ({ signal }) => (await api.call(members.listInvites, { signal })).body,
    gcTime: 0,
  })

interface Accepted extends Pick<Invitation, 'namespace' | 'tenant_id'> {
  /** Secret of the link that was opened. */
  readonly sig?: string
}

/** Accepts an invitation and switches to its namespace. */
export function useAcceptInvitation(): Action<Accepted> {
  const { api, session } = useRuntime()
  return useAction({
    async call({ tenant_id: tenant, sig }) {
      await api.call(members.acceptInvite, { params: { tenant }, body: sig === undefined ? {} : { sig } })
      await api.call(auth.switchNamespace, { params: { tenant } })
      await session.renew()
    },
    done: ({ namespace }) => texts.accepted(namespace),
    failed: texts.acceptFailed,
    invalidates: [['invitations']],
  })
}
