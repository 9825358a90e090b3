// Switches to another namespace, in every tab.
import { auth } from '@bowline/contract/operations/auth'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import { useRuntime } from '../../core/context.tsx'
import { type Action, useAction } from '../../core/use-action.ts'
import { mayLeave } from '../../platform/unsaved.ts'
import { namespacesMessages as texts } from './messages.ts'

type Named = Pick<Namespace, 'tenant_id' | 'name'>

export function useSwitchNamespace(): Action<Named> {
  const { api, session } = useRuntime()
  const act = useAction({
    async call({ tenant_id: tenant }: Named) {
      // The answer's token is meant for other clients; the next cookie refresh picks up the namespace.
      await api.call(auth.switchNamespace, { params: { tenant } })
      await session.renew()
    },
    done: ({ name }) => texts.switched(name),
    failed: ({ name }) => texts.switchFailed(name),
  })
  // Every page of the other namespace replaces the present one.
  return { ...act, run: async (to) => (await mayLeave()) && act.run(to) }
}
