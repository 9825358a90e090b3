// Page of one announcement.
import { ApiError } from '@bowline/contract/client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Megaphone } from 'lucide-react'
import { useEffect } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { BackLink } from '../../ui/page/back-link.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton, Text } from '../../ui/kit.ts'
import { formatMoment } from '../../ui/text/numbers.ts'
import { Page } from '../../ui/page/page.tsx'
import { MarkdownView } from './markdown-view.tsx'
import { announcementsMessages as texts } from './messages.ts'
import { announcementQuery } from './queries.ts'
import { useMarkSeen } from './seen.ts'

const route = getRouteApi('/app/announcements/$uuid')

export function AnnouncementPage() {
  const { uuid } = route.useParams()
  const { api } = useRuntime()
  const query = useQuery(announcementQuery(api, uuid))
  const markSeen = useMarkSeen()
  const isShown = query.data !== undefined
  useEffect(() => {
    if (isShown) markSeen(uuid)
  }, [isShown, markSeen, uuid])
  const trail = <BackLink to="/announcements" label={texts.back} />
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <Page title={texts.gone} trail={trail}>
        <EmptyState icon={<Megaphone size={24} />} text={texts.goneText} />
      </Page>
    )
  }
  if (!query.data) {
    return (
      <Page title={texts.title} trail={trail}>
        {query.isError ? (
          <ErrorPanel title={texts.oneFailed} error={query.error} onRetry={() => query.refetch()} />
        ) : (
          <Skeleton height={160} />
        )}
      </Page>
    )
  }
  return (
    <Page title={query.data.title} trail={trail}>
      <Text size="xs" c="dimmed" mb="md">
        {formatMoment(query.data.date)}
      </Text>
      <MarkdownView text={query.data.content} />
    </Page>
  )
}
