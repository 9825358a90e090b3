// Routes of the namespace itself and of the signed-in person.
import { createRoute, lazyRouteComponent, stripSearchParams } from '@tanstack/react-router'
import { DEFAULT_PAGE_SEARCH, PageSearch } from '../../ui/list/page-search.ts'
import { app } from '../app-route.tsx'
import { pageFile } from '../../platform/page-files.ts'

export const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/settings/settings-page.tsx')),
    'SettingsPage',
  ),
})

export const audit = createRoute({
  getParentRoute: () => app,
  path: '/audit',
  validateSearch: PageSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_PAGE_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/audit/audit-page.tsx')),
    'AuditPage',
  ),
})

export const announcements = createRoute({
  getParentRoute: () => app,
  path: '/announcements',
  validateSearch: PageSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_PAGE_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/announcements/announcements-page.tsx')),
    'AnnouncementsPage',
  ),
})

export const announcement = createRoute({
  getParentRoute: () => app,
  path: '/announcements/$uuid',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/announcements/announcement-page.tsx')),
    'AnnouncementPage',
  ),
})

export const profile = createRoute({
  getParentRoute: () => app,
  path: '/profile',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/profile/profile-page.tsx')),
    'ProfilePage',
  ),
})
