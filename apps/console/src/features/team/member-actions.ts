// Changes the roles of members, and removes them.
import { members } from '@bowline/contract/operations/namespaces'
import type { Role } from '@bowline/contract/roles'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Member, Namespace } from '@bowline/contract/schemas/namespace'
import { useQueryClient } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { type Action, useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { teamMessages as texts } from './messages.ts'

interface RoleChange {
  readonly member: Member
  readonly role: Role
}

/** Changes a role: optimistic, with undo. */
export function useSetRole(tenant: string): Action<RoleChange> {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const put = useAction({
    async optimistic({ member: { id }, role }: RoleChange) {
      queryClient.setQueryData<Namespace>(
        keys.namespace(tenant),
        (before) =>
          before && { ...before, members: before.members.map((each) => (each.id === id ? { ...each, role } : each)) },
      )
      return undefined
    },
    call: ({ member, role }: RoleChange) =>
      api.call(members.update, { params: { tenant: TenantId.parse(tenant), uid: member.id }, body: { role } }),
    invalidates: [keys.namespace(tenant)],
  })
  return useAction({
    call: put.send,
    done: ({ member, role }) => texts.roleChanged(member.email, texts.roles[role]),
    failed: ({ member }) => texts.roleFailed(member.email),
    undo: ({ member }) => put.send({ member, role: member.role }),
  })
}

export function useRemoveMember(tenant: string): Action<Member, number> {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  return useAction({
    async call({ id }) {
      const { body } = await api.call(members.remove, { params: { tenant: TenantId.parse(tenant), uid: id } })
      const { disabled_keys: disabled, ...namespace } = body
      queryClient.setQueryData(keys.namespace(tenant), namespace)
      return disabled.length
    },
    done: ({ email }, disabled) => texts.memberRemoved(email, disabled),
    failed: ({ email }) => texts.memberRemoveFailed(email),
    invalidates: [keys.publicKeys],
  })
}
