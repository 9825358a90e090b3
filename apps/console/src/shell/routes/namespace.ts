// Routes of the namespace itself and of the signed-in person.
import { createRoute, lazyRouteComponent, stripSearchParams } from '@tanstack/react-router'
import { z } from 'zod'
import { AuditSearch } from '../../features/audit/search.ts'
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

export const billing = createRoute({
  getParentRoute: () => app,
  path: '/settings/billing',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/billing/billing-page.tsx')),
    'BillingPage',
  ),
})

export const snippets = createRoute({
  getParentRoute: () => app,
  path: '/settings/snippets',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/shared-snippets/snippets-page.tsx')),
    'SnippetsPage',
  ),
})

export const alerts = createRoute({
  getParentRoute: () => app,
  path: '/alerts',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/alerts/alerts-page.tsx')),
    'AlertsPage',
  ),
})

export const audit = createRoute({
  getParentRoute: () => app,
  path: '/audit',
  validateSearch: AuditSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_PAGE_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/audit/audit-page.tsx')),
    'AuditPage',
  ),
})

export const auditStreams = createRoute({
  getParentRoute: () => app,
  path: '/audit/streams',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/audit-streams/streams-page.tsx')),
    'StreamsPage',
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

export const activate = createRoute({
  getParentRoute: () => app,
  path: '/activate',
  validateSearch: z.object({ code: z.string().max(32).optional().catch(undefined) }),
  component: lazyRouteComponent(
    pageFile(() => import('../../features/activate/activate-page.tsx')),
    'ActivatePage',
  ),
})

export const approve = createRoute({
  getParentRoute: () => app,
  path: '/approve/$code',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/held-logins/approve-page.tsx')),
    'ApprovePage',
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

export const vault = createRoute({
  getParentRoute: () => app,
  path: '/profile/keys',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/vault/vault-page.tsx')),
    'VaultPage',
  ),
})

export const signInSettings = createRoute({
  getParentRoute: () => app,
  path: '/instance/sign-in',
  validateSearch: z.object({ test: z.enum(['passed', 'failed']).optional().catch(undefined) }),
  component: lazyRouteComponent(
    pageFile(() => import('../../features/sign-in-settings/settings-route.tsx')),
    'SignInSettingsRoute',
  ),
})
