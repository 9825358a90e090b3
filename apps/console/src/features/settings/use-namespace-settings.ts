// The namespace and its changes: optimistic, rolled back when the server refuses, with undo.
import { namespaces } from '@bowline/contract/operations/namespaces'
import type { CallInput } from '@bowline/contract/operation'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { keys } from '../../live/apply-events.ts'
import { notifyDone, notifyFailure } from '../../ui/feedback/notify.tsx'
import { namespaceQuery } from '../namespaces/queries.ts'
import { settingsMessages as texts } from './messages.ts'

type Settings = Namespace['settings']
export type NamespaceChange = CallInput<typeof namespaces.update>['body']

export interface NamespaceSettings {
  readonly query: UseQueryResult<Namespace>
  /** @throws the call's error */
  put(change: NamespaceChange): Promise<void>
  /** Changes one setting, named by `label`; a failure has been shown when it resolves. */
  set<Name extends keyof Settings>(name: Name, value: Settings[Name], label: string): Promise<void>
}

/** Props of each section of the page. */
export interface SettingsProps {
  readonly namespace: Namespace
  readonly settings: NamespaceSettings
  /** True when the person may change them. */
  readonly may: boolean
}

export function useNamespaceSettings(): NamespaceSettings {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const tenant = usePerson()?.tenant ?? ''
  const query = useQuery({ ...namespaceQuery(api, tenant), enabled: tenant !== '' })

  async function put(change: NamespaceChange): Promise<void> {
    const { body } = await api.call(namespaces.update, { params: { tenant: TenantId.parse(tenant) }, body: change })
    queryClient.setQueryData(keys.namespace(tenant), body)
  }

  async function set<Name extends keyof Settings>(name: Name, value: Settings[Name], label: string): Promise<void> {
    const before = query.data?.settings[name]
    queryClient.setQueryData<Namespace>(
      keys.namespace(tenant),
      (shown) => shown && { ...shown, settings: { ...shown.settings, [name]: value } },
    )
    try {
      await put({ settings: { [name]: value } })
      notifyDone({ title: texts.changed(label), onUndo: () => put({ settings: { [name]: before } }) })
    } catch (error) {
      void query.refetch()
      notifyFailure({ title: texts.changeFailed, error, onRetry: () => void set(name, value, label) })
    }
  }
  return { query, put, set }
}
