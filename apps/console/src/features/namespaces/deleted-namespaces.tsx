// Namespaces that the signed-in person has deleted and can restore; nothing without any.
import type { DeletedNamespace } from '@bowline/contract/schemas/namespace'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { Button } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { formatMoment } from '../../ui/text/numbers.ts'
import { namespacesMessages as texts } from './messages.ts'
import { deletedNamespacesQuery } from './queries.ts'
import { useRestoreNamespace } from './use-restore-namespace.ts'

export function DeletedNamespaces() {
  const { api } = useRuntime()
  const { data = [] } = useQuery(deletedNamespacesQuery(api))
  if (!data.length) return null
  return (
    <SectionCard id="deleted-namespaces" title={texts.deleted} text={texts.deletedText}>
      {data.map((each) => (
        <Deleted key={each.tenant_id} namespace={each} />
      ))}
    </SectionCard>
  )
}

function Deleted({ namespace }: { readonly namespace: DeletedNamespace }) {
  const restore = useRestoreNamespace()
  const { name, removed_at: until } = namespace
  return (
    <SettingRow label={name} hint={texts.deletedUntil(formatMoment(until))}>
      <Button
        size="xs"
        variant="default"
        aria-label={texts.restoreOf(name)}
        loading={restore.isPending}
        onClick={() => void restore.run(namespace)}
      >
        {texts.restore}
      </Button>
    </SettingRow>
  )
}
