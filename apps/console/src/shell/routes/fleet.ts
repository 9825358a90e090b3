// Routes of the overview, devices, sessions and terminals.
import { DeviceUid, SessionUid } from '@bowline/contract/schemas/common'
import { createRoute, lazyRouteComponent, stripSearchParams } from '@tanstack/react-router'
import { deviceListQuery, deviceQuery, statsQuery } from '../../core/devices/queries.ts'
import { DEFAULT_DEVICES_SEARCH, DevicesSearch, deviceListOf } from '../../features/devices/search.ts'
import { FilesSearch } from '../../features/files/search.ts'
import { DEFAULT_INCIDENTS_SEARCH, IncidentsSearch } from '../../features/presence/search.ts'
import { sessionListQuery, sessionQuery } from '../../features/sessions/queries.ts'
import { DEFAULT_SESSIONS_SEARCH, SessionsSearch, sessionListOf } from '../../features/sessions/search.ts'
import { TerminalSearch } from '../../features/terminal/screen/search.ts'
import { VisitSearch } from '../../features/tunnels/search.ts'
import { app } from '../app-route.tsx'
import { isMember } from '../../core/runtime.ts'
import { DEFAULT_PAGE_SEARCH, PageSearch } from '../../ui/list/page-search.ts'
import { pageFile } from '../../platform/page-files.ts'

export const dashboard = createRoute({
  getParentRoute: () => app,
  path: '/',
  loader: ({ context: { runtime } }) => {
    if (isMember(runtime)) void runtime.queryClient.prefetchQuery(statsQuery(runtime.api))
  },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/dashboard/dashboard-page.tsx')),
    'DashboardPage',
  ),
})

export const devices = createRoute({
  getParentRoute: () => app,
  path: '/devices',
  validateSearch: DevicesSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_DEVICES_SEARCH)] },
  loaderDeps: ({ search }) => search,
  loader: ({ context: { runtime }, deps }) => {
    if (isMember(runtime)) void runtime.queryClient.prefetchQuery(deviceListQuery(runtime.api, deviceListOf(deps)))
  },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/devices/list/devices-route.tsx')),
    'DevicesRoute',
  ),
})

export const devicesMap = createRoute({
  getParentRoute: () => app,
  path: '/devices/map',
  validateSearch: DevicesSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_DEVICES_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/devices/map/map-route.tsx')),
    'MapRoute',
  ),
})

export const containers = createRoute({
  getParentRoute: () => app,
  path: '/containers',
  validateSearch: DevicesSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_DEVICES_SEARCH)] },
  loaderDeps: ({ search }) => search,
  loader: ({ context: { runtime }, deps }) => {
    if (isMember(runtime))
      void runtime.queryClient.prefetchQuery(deviceListQuery(runtime.api, deviceListOf(deps), 'containers'))
  },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/devices/list/devices-route.tsx')),
    'ContainersRoute',
  ),
})

export const device = createRoute({
  getParentRoute: () => app,
  path: '/devices/$uid',
  loader: ({ context: { runtime }, params: { uid } }) => {
    if (isMember(runtime) && DeviceUid.safeParse(uid).success)
      void runtime.queryClient.prefetchQuery(deviceQuery(runtime.api, uid))
  },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/devices/detail/device-route.tsx')),
    'DeviceRoute',
  ),
})

export const deviceFiles = createRoute({
  getParentRoute: () => app,
  path: '/devices/$uid/files',
  validateSearch: FilesSearch,
  component: lazyRouteComponent(
    pageFile(() => import('../../features/files/files-route.tsx')),
    'FilesRoute',
  ),
})

export const incidents = createRoute({
  getParentRoute: () => app,
  path: '/incidents',
  validateSearch: IncidentsSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_INCIDENTS_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/presence/incidents-page.tsx')),
    'IncidentsPage',
  ),
})

export const incident = createRoute({
  getParentRoute: () => app,
  path: '/incidents/$id',
  validateSearch: PageSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_PAGE_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/presence/incident-page.tsx')),
    'IncidentPage',
  ),
})

export const tunnelVisit = createRoute({
  getParentRoute: () => app,
  path: '/tunnels/$address',
  validateSearch: VisitSearch,
  component: lazyRouteComponent(
    pageFile(() => import('../../features/tunnels/visit-route.tsx')),
    'VisitRoute',
  ),
})

export const sessions = createRoute({
  getParentRoute: () => app,
  path: '/sessions',
  validateSearch: SessionsSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_SESSIONS_SEARCH)] },
  loaderDeps: ({ search }) => search,
  loader: ({ context: { runtime }, deps }) => {
    if (isMember(runtime)) void runtime.queryClient.prefetchQuery(sessionListQuery(runtime.api, sessionListOf(deps)))
  },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/sessions/sessions-route.tsx')),
    'SessionsRoute',
  ),
})

export const session = createRoute({
  getParentRoute: () => app,
  path: '/sessions/$uid',
  loader: ({ context: { runtime }, params: { uid } }) => {
    if (isMember(runtime) && SessionUid.safeParse(uid).success)
      void runtime.queryClient.prefetchQuery(sessionQuery(runtime.api, uid))
  },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/sessions/session-page.tsx')),
    'SessionPage',
  ),
})

export const terminal = createRoute({
  getParentRoute: () => app,
  path: '/terminal',
  validateSearch: TerminalSearch,
  component: lazyRouteComponent(
    pageFile(() => import('../../features/terminal/terminal-route.tsx')),
    'TerminalRoute',
  ),
})
