// Namespaces that the signed-in person has deleted and can restore; nothing without any.
import { auth } from '@bowline/contract/operations/auth'
import { namespaces } from '@bowline/contract/operations/namespaces'
import type { DeletedNamespace } from '@bowline/contract/schemas/namespace'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Button } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { formatMoment } from '../../ui/text/numbers.ts'
import { namespacesMessages as texts } from './messages.ts'

const deletedNamespacesQuery = (api: Api) =>
  queryOptions({
    queryKey: [...keys.namespaces, 'deleted'],
    queryFn: async ({ signal }) => (await api.call(namespaces.listDeleted, { signal })).body,
    gcTime: 0,
  })

export function DeletedNamespaces() {
  const { api } = useRuntime()
  const { data = [] } = useQuery(deletedNamespacesQuery(api))
  if (!data.length) return null
  return (
    <SectionCard title={texts.deleted} text={texts.deletedText}>
      {data.map((each) => (
        <Deleted key={each.tenant_id} namespace={each} />
      ))}
    </SectionCard>
  )
}

function Deleted({ namespace }: { readonly namespace: DeletedNamespace }) {
  const { api, session } = useRuntime()
  const { tenant_id: tenant, name, removed_at: until } = namespace
  const restore = useAction({
    async call() {
      await api.call(namespaces.restore, { params: { tenant } })
      await api.call(auth.switchNamespace, { params: { tenant } })
      await session.renew()
    },
    done: texts.restored(name),
    failed: texts.restoreFailed(name),
    invalidates: [keys.namespaces],
  })
  return (
    <SettingRow label={name} hint={texts.deletedUntil(formatMoment(until))}>
      <Button
        size="xs"
        variant="default"
        aria-label={texts.restoreOf(name)}
        loading={restore.isPending}
        onClick={() => void restore.run()}
      >
        {texts.restore}
      </Button>
    </SettingRow>
  )
}
