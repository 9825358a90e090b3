// Switches to another namespace, in every tab.
import { auth } from '@bowline/contract/operations/auth'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import { useRuntime } from '../../core/context.tsx'
import { type Action, useAction } from '../../core/use-action.ts'
import { namespacesMessages as texts } from './messages.ts'

export function useSwitchNamespace(): Action<Pick<Namespace, 'tenant_id' | 'name'>> {
  const { api, session } = useRuntime()
  return useAction({
    async call({ tenant_id: tenant }) {
      // The answer's token is meant for other clients; the next cookie refresh picks up the namespace.
      await api.call(auth.switchNamespace, { params: { tenant } })
      await session.renew()
    },
    done: ({ name }) => texts.switched(name),
    failed: ({ name }) => texts.switchFailed(name),
  })
}
