// Routes of recordings.
import { createRoute, lazyRouteComponent, stripSearchParams } from '@tanstack/react-router'
import { DEFAULT_RECORDINGS_SEARCH, PlaySearch, RecordingsSearch } from '../../features/player/search.ts'
import { app } from '../app-route.tsx'
import { pageFile } from '../../platform/page-files.ts'

export const player = createRoute({
  getParentRoute: () => app,
  path: '/sessions/$uid/play/$seat',
  validateSearch: PlaySearch,
  component: lazyRouteComponent(
    pageFile(() => import('../../features/player/player-route.tsx')),
    'PlayerRoute',
  ),
})

export const recordings = createRoute({
  getParentRoute: () => app,
  path: '/recordings',
  validateSearch: RecordingsSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_RECORDINGS_SEARCH)] },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/player/recordings-route.tsx')),
    'RecordingsRoute',
  ),
})
