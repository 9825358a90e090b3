// Queries and changes of the namespace's own roles.
import { type OwnRole, type OwnRoleBody, roles } from '@bowline/contract/operations/fleet/roles'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Member } from '@bowline/contract/schemas/namespace'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { rolesMessages as texts } from './messages.ts'

const ROLES = ['roles'] as const

export function rolesQuery(api: Api) {
  return queryOptions({
    queryKey: ROLES,
    queryFn: async ({ signal }): Promise<OwnRole[]> => (await api.call(roles.list, { signal })).body,
  })
}

export function useAddRole() {
  const { api } = useRuntime()
  return useAction({
    call: async (body: OwnRoleBody) => (await api.call(roles.create, { body })).body,
    done: ({ name }) => texts.added(name),
    invalidates: [ROLES],
  })
}

export function useChangeRole() {
  const { api } = useRuntime()
  return useAction({
    call: ({ id, body }: { readonly id: string; readonly body: OwnRoleBody }) =>
      api.call(roles.update, { params: { id }, body }),
    done: ({ body }) => texts.saved(body.name),
    invalidates: [ROLES],
  })
}

export function useRemoveRole() {
  const { api } = useRuntime()
  return useAction({
    call: ({ id }: OwnRole) => api.call(roles.remove, { params: { id } }),
    done: ({ name }) => texts.removed(name),
    failed: ({ name }) => texts.removeFailed(name),
    invalidates: [ROLES],
  })
}

/** Sets the roles of a member. */
export function useAssignRoles(tenant: string) {
  const { api } = useRuntime()
  return useAction({
    call: ({ member, ids }: { readonly member: Member; readonly ids: readonly string[] }) =>
      api.call(roles.assign, {
        params: { tenant: TenantId.parse(tenant), uid: member.id },
        body: { roles: [...ids] },
      }),
    done: ({ member }) => texts.assigned(member.email),
    invalidates: [ROLES],
  })
}
