// Going from one namespace to another: everything on screen is of the new one then, in every tab.
import { auth } from '@bowline/contract/operations/auth'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import { useRuntime } from '../../core/context.tsx'
import { announce } from '../../ui/feedback/announce.tsx'
import { notifyFailure } from '../../ui/feedback/notify.tsx'
import { namespacesMessages as texts } from './messages.ts'

/** The function that moves the person into a namespace. A failure has been shown when it resolves. */
export function useSwitchNamespace(): (namespace: Pick<Namespace, 'tenant_id' | 'name'>) => Promise<void> {
  const { api, session } = useRuntime()
  return async function switchTo(namespace) {
    const { tenant_id: tenant, name } = namespace
    try {
      // The answer's own token is one for other clients; it is remembered as the namespace of the next one.
      await api.call(auth.switchNamespace, { params: { tenant } })
      await session.renew()
      announce(texts.switched(name))
    } catch (error) {
      notifyFailure({ title: texts.switchFailed(name), error, onRetry: () => void switchTo(namespace) })
    }
  }
}
