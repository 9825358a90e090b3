// Switches to another namespace, in every tab.
import { auth } from '@bowline/contract/operations/auth'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import { useRuntime } from '../../core/context.tsx'
import { announce } from '../../ui/feedback/announce.tsx'
import { notifyFailure } from '../../ui/feedback/notify.tsx'
import { namespacesMessages as texts } from './messages.ts'

/** @returns the switch function; a failure has been shown when it resolves */
export function useSwitchNamespace(): (namespace: Pick<Namespace, 'tenant_id' | 'name'>) => Promise<void> {
  const { api, session } = useRuntime()
  return async function switchTo(namespace) {
    const { tenant_id: tenant, name } = namespace
    try {
      // The answer's token is meant for other clients; the next cookie refresh picks up the namespace.
      await api.call(auth.switchNamespace, { params: { tenant } })
      await session.renew()
      announce(texts.switched(name))
    } catch (error) {
      notifyFailure({ title: texts.switchFailed(name), error, onRetry: () => void switchTo(namespace) })
    }
  }
}
