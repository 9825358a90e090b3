// Routes of access control: keys, rules, tags, people. Their queries load with the pages, to keep them out of the first
// page's bundle.
import { createRoute, lazyRouteComponent, stripSearchParams } from '@tanstack/react-router'
import { AccessRequestsSearch, DEFAULT_ACCESS_SEARCH } from '../../features/access-requests/search.ts'
import { FirewallSearch } from '../../features/firewall/search.ts'
import { DEFAULT_KEYS_SEARCH, KeysSearch } from '../../features/public-keys/search.ts'
import { DEFAULT_TEAM_SEARCH, TeamSearch } from '../../features/team/search.ts'
import { app } from '../app-route.tsx'
import { pageFile } from '../../platform/page-files.ts'

export const publicKeys = createRoute({
  getParentRoute: () => app,
  path: '/public-keys',
  validateSearch: KeysSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_KEYS_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/public-keys/public-keys-page.tsx')),
    'PublicKeysPage',
  ),
})

export const firewall = createRoute({
  getParentRoute: () => app,
  path: '/firewall',
  validateSearch: FirewallSearch,
  component: lazyRouteComponent(
    pageFile(() => import('../../features/firewall/firewall-page.tsx')),
    'FirewallPage',
  ),
})

export const accessRequests = createRoute({
  getParentRoute: () => app,
  path: '/access-requests',
  validateSearch: AccessRequestsSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_ACCESS_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/access-requests/requests-page.tsx')),
    'AccessRequestsPage',
  ),
})

export const tags = createRoute({
  getParentRoute: () => app,
  path: '/tags',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/tags/tags-page.tsx')),
    'TagsPage',
  ),
})

export const installKeys = createRoute({
  getParentRoute: () => app,
  path: '/install-keys',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/install-keys/install-keys-page.tsx')),
    'InstallKeysPage',
  ),
})

export const agentUpdates = createRoute({
  getParentRoute: () => app,
  path: '/agent-updates',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/agent-updates/agent-updates-page.tsx')),
    'AgentUpdatesPage',
  ),
})

export const team = createRoute({
  getParentRoute: () => app,
  path: '/team',
  validateSearch: TeamSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_TEAM_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/team/team-page.tsx')),
    'TeamPage',
  ),
})
