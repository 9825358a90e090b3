// Nodes of the server, for its administrators: which run, and what they carry.
import { useQuery } from '@tanstack/react-query'
import { Lock } from 'lucide-react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton, Stack } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { nodeMessages as texts } from './messages.ts'
import { NodeCard } from './node-card.tsx'
import { nodesQuery } from './queries.ts'

export function NodesPage() {
  const { api } = useRuntime()
  const may = usePerson()?.instance_admin === true
  const nodes = useQuery({ ...nodesQuery(api), enabled: may })
  if (!may) {
    return (
      <Page title={texts.title}>
        <EmptyState icon={<Lock size={24} />} title={texts.noAccess} text={texts.noAccessText} />
      </Page>
    )
  }
  return (
    <Page title={texts.title}>
      {nodes.isError && !nodes.data ? (
        <ErrorPanel title={texts.loadFailed} error={nodes.error} onRetry={() => nodes.refetch()} />
      ) : null}
      {nodes.isPending ? <Skeleton height={240} /> : null}
      <Stack gap="md">
        {nodes.data?.map((node) => (
          <NodeCard key={node.id} node={node} />
        ))}
      </Stack>
    </Page>
  )
}
