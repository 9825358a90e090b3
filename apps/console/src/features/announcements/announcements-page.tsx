// List of the instance operator's announcements.
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { Megaphone } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { Pager } from '../../ui/list/pager.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import cells from '../../ui/list/cells.module.css'
import { announcementsMessages as texts } from './messages.ts'
import { ANNOUNCEMENTS_PER_PAGE, announcementListQuery } from './queries.ts'
import classes from './announcements.module.css'

const route = getRouteApi('/app/announcements')

export function AnnouncementsPage() {
  const { page } = route.useSearch()
  const { api } = useRuntime()
  const list = useQuery(announcementListQuery(api, page))
  return (
    <Page title={texts.title}>
      {list.isError ? <ErrorPanel title={texts.loadFailed} error={list.error} onRetry={() => list.refetch()} /> : null}
      {list.isPending ? <Skeleton height={120} /> : null}
      {list.data?.total === 0 ? (
        <EmptyState icon={<Megaphone size={24} />} title={texts.empty} text={texts.emptyText} />
      ) : null}
      {list.data?.items.length ? (
        <ul className={classes['list']}>
          {list.data.items.map(({ uuid, title, date }) => (
            <li key={uuid} className={classes['item']}>
              <Link to="/announcements/$uuid" params={{ uuid }} className={cells['primary']}>
                {title}
              </Link>
              <span>
                <TimeAgo time={date} />
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      <Pager
        list={texts.pages}
        page={page}
        perPage={ANNOUNCEMENTS_PER_PAGE}
        total={list.data?.total ?? 0}
        renderLink={(target, children, label, className) => (
          <Link to="/announcements" search={{ page: target }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
      />
    </Page>
  )
}
