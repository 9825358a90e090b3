// Restores a namespace that the signed-in person has deleted, and switches to it.
import { auth } from '@bowline/contract/operations/auth'
import { namespaces } from '@bowline/contract/operations/namespaces'
import type { DeletedNamespace } from '@bowline/contract/schemas/namespace'
import { useRuntime } from '../../core/context.tsx'
import { type Action, useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { namespacesMessages as texts } from './messages.ts'

export function useRestoreNamespace(): Action<DeletedNamespace> {
  const { api, session } = useRuntime()
  return useAction({
    async call({ tenant_id: tenant }) {
      await api.call(namespaces.restore, { params: { tenant } })
      await api.call(auth.switchNamespace, { params: { tenant } })
      await session.renew()
    },
    done: ({ name }) => texts.restored(name),
    failed: ({ name }) => texts.restoreFailed(name),
    invalidates: [keys.namespaces],
  })
}
