// Routes of the server itself, for its administrators.
import { createRoute, lazyRouteComponent, stripSearchParams } from '@tanstack/react-router'
import {
  DEFAULT_NAMESPACES_SEARCH,
  DEFAULT_PEOPLE_SEARCH,
  DeletedNamespacesSearch,
  NamespacesSearch,
  PeopleSearch,
  ServerAuditSearch,
} from '../../features/administration/search.ts'
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

export const people = createRoute({
  getParentRoute: () => app,
  path: '/instance/people',
  validateSearch: PeopleSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_PEOPLE_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/administration/people-page.tsx')),
    'PeoplePage',
  ),
})

export const person = createRoute({
  getParentRoute: () => app,
  path: '/instance/people/$user',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/administration/person-page.tsx')),
    'PersonPage',
  ),
})

export const namespaces = createRoute({
  getParentRoute: () => app,
  path: '/instance/namespaces',
  validateSearch: NamespacesSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_NAMESPACES_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/administration/namespaces-page.tsx')),
    'NamespacesPage',
  ),
})

export const deletedNamespaces = createRoute({
  getParentRoute: () => app,
  path: '/instance/namespaces/deleted',
  validateSearch: DeletedNamespacesSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_PAGE_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/administration/deleted-namespaces-page.tsx')),
    'DeletedNamespacesPage',
  ),
})

export const namespace = createRoute({
  getParentRoute: () => app,
  path: '/instance/namespaces/$tenant',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/administration/namespace-page.tsx')),
    'NamespacePage',
  ),
})

export const serverAudit = createRoute({
  getParentRoute: () => app,
  path: '/instance/audit',
  validateSearch: ServerAuditSearch,
  component: lazyRouteComponent(
    pageFile(() => import('../../features/administration/server-audit-page.tsx')),
    'ServerAuditPage',
  ),
})
