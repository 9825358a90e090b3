// Hands a member over to a tunnel whose door asks for the namespace: by a link that works once.
import { tunnels } from '@bowline/contract/operations/tunnels'
import { TunnelAddress } from '@bowline/contract/schemas/tunnel'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Text } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { tunnelsMessages as texts } from './messages.ts'

const route = getRouteApi('/app/tunnels/$address')

export function VisitRoute() {
  const { api } = useRuntime()
  const { address } = route.useParams()
  const { path } = route.useSearch()
  const query = useQuery({
    queryKey: ['tunnel-visit', address, path],
    queryFn: async () => {
      const params = { address: TunnelAddress.parse(address) }
      return (await api.call(tunnels.visit, { params, body: { path } })).body.url
    },
    // The link works once.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const url = query.data
  useEffect(() => {
    if (url) location.replace(url)
  }, [url])
  return (
    <Page title={texts.visiting}>
      {query.isError ? (
        <ErrorPanel title={texts.visitFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Text size="sm">{texts.visitingText}</Text>
      )}
    </Page>
  )
}
