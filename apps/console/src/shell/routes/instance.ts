// Routes of the server itself, for its administrators.
import { createRoute, lazyRouteComponent, stripSearchParams } from '@tanstack/react-router'
import { DEFAULT_MAIL_SEARCH, MailSearch } from '../../features/mail/search.ts'
import { DEFAULT_PAGE_SEARCH, PageSearch } from '../../ui/list/page-search.ts'
import { app } from '../app-route.tsx'
import { pageFile } from '../../platform/page-files.ts'

export const certificates = createRoute({
  getParentRoute: () => app,
  path: '/instance/certificates',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/certificates/certificates-page.tsx')),
    'CertificatesPage',
  ),
})

export const nodes = createRoute({
  getParentRoute: () => app,
  path: '/instance/nodes',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/nodes/nodes-page.tsx')),
    'NodesPage',
  ),
})

export const news = createRoute({
  getParentRoute: () => app,
  path: '/instance/announcements',
  validateSearch: PageSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_PAGE_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/announcements/manage/manage-page.tsx')),
    'ManageAnnouncementsPage',
  ),
})

export const mail = createRoute({
  getParentRoute: () => app,
  path: '/instance/mail',
  validateSearch: MailSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_MAIL_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/mail/mail-page.tsx')),
    'MailPage',
  ),
})
