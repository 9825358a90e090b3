// The namespace and its changes: optimistic, rolled back when the server refuses, with undo.
import { namespaces } from '@bowline/contract/operations/namespaces'
import type { CallInput } from '@bowline/contract/operation'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { type FormAction, useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { namespaceQuery } from '../namespaces/queries.ts'
import { settingsMessages as texts } from './messages.ts'

type Settings = Namespace['settings']
export type NamespaceChange = CallInput<typeof namespaces.update>['body']

export interface SettingsChange {
  readonly change: NamespaceChange
  /** The same fields as they are now. */
  readonly before: NamespaceChange
  /** The sentence on success. */
  readonly done: string
}

export interface NamespaceSettings {
  readonly query: UseQueryResult<Namespace>
  readonly save: FormAction<SettingsChange>
  /** Changes one setting, named by `label`, and shows it before the server answers. */
  readonly set: <Name extends keyof Settings>(name: Name, value: Settings[Name], label: string) => Promise<unknown>
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

  const spec = {
    call: ({ change }: SettingsChange) => put(change),
    done: ({ done }: SettingsChange) => done,
    undo: ({ before }: SettingsChange) => put(before),
  }
  const save = useAction(spec)
  const change = useAction({
    ...spec,
    failed: texts.changeFailed,
    async optimistic({ change: { settings } }) {
      queryClient.setQueryData<Namespace>(
        keys.namespace(tenant),
        (shown) => shown && { ...shown, settings: Object.assign({ ...shown.settings }, settings) },
      )
      return () => void query.refetch()
    },
  })

  async function put(body: NamespaceChange): Promise<void> {
    const answer = await api.call(namespaces.update, { params: { tenant: TenantId.parse(tenant) }, body })
    queryClient.setQueryData(keys.namespace(tenant), answer.body)
  }

  const set: NamespaceSettings['set'] = (name, value, label) =>
    change.run({
      change: { settings: { [name]: value } },
      before: { settings: { [name]: query.data?.settings[name] } },
      done: texts.changed(label),
    })
  return { query, save, set }
}
