// Every address of the console. What lives in a search string is parsed by the page's own schema; strings stay strings
// (a set-up link's signature may look like a number).
import { DeviceUid } from '@bowline/contract/schemas/common'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  stripSearchParams,
} from '@tanstack/react-router'
import { z } from 'zod'
import { deviceListQuery, deviceQuery } from '../features/devices/queries.ts'
import { DEFAULT_DEVICES_SEARCH, DevicesSearch, deviceListOf } from '../features/devices/search.ts'
import { sessionListQuery } from '../features/sessions/queries.ts'
import { DEFAULT_SESSIONS_SEARCH, SessionsSearch } from '../features/sessions/search.ts'
import { safeRedirect } from '../session/redirect.ts'
import { CrashPage } from './crash-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { Root } from './root.tsx'
import type { Runtime } from './runtime.ts'
import { Shell } from './shell.tsx'

const root = createRootRouteWithContext<{ runtime: Runtime }>()({ component: Root, notFoundComponent: NotFoundPage })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: z.object({ redirect: z.string().optional(), expired: z.enum(['yes']).optional().catch(undefined) }),
  beforeLoad: async ({ context: { runtime }, search }) => {
    const state = await runtime.session.refresh(undefined)
    if (state.kind === 'signed-in') throw redirect({ href: safeRedirect(search.redirect, location.origin) })
  },
  component: lazyRouteComponent(() => import('../features/sign-in/sign-in-route.tsx'), 'SignInRoute'),
})

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  validateSearch: z.object({ sign: z.string().min(1).optional().catch(undefined) }),
  component: lazyRouteComponent(() => import('../features/setup/setup-route.tsx'), 'SetupRoute'),
})

/** Everything behind the sign-in. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  beforeLoad: async ({ context: { runtime }, location }) => {
    const state = await runtime.session.refresh(undefined)
    if (state.kind === 'signed-in') return
    const wish = location.href === '/' ? {} : { redirect: location.href }
    throw redirect({ to: '/sign-in', search: wish })
  },
  component: Shell,
})

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/devices', replace: true })
  },
})

const devices = createRoute({
  getParentRoute: () => app,
  path: '/devices',
  validateSearch: DevicesSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_DEVICES_SEARCH)] },
  loaderDeps: ({ search }) => search,
  loader: ({ context: { runtime }, deps }) => {
    void runtime.queryClient.prefetchQuery(deviceListQuery(runtime.api, deviceListOf(deps)))
  },
  component: lazyRouteComponent(() => import('../features/devices/devices-route.tsx'), 'DevicesRoute'),
})

const device = createRoute({
  getParentRoute: () => app,
  path: '/devices/$uid',
  loader: ({ context: { runtime }, params: { uid } }) => {
    if (DeviceUid.safeParse(uid).success) void runtime.queryClient.prefetchQuery(deviceQuery(runtime.api, uid))
  },
  component: lazyRouteComponent(() => import('../features/devices/device-route.tsx'), 'DeviceRoute'),
})

const sessions = createRoute({
  getParentRoute: () => app,
  path: '/sessions',
  validateSearch: SessionsSearch,
  search: { middlewares: [stripSearchParams(DEFAULT_SESSIONS_SEARCH)] },
  loaderDeps: ({ search }) => search,
  loader: ({ context: { runtime }, deps }) => {
    void runtime.queryClient.prefetchQuery(sessionListQuery(runtime.api, deps.page))
  },
  component: lazyRouteComponent(() => import('../features/sessions/sessions-route.tsx'), 'SessionsRoute'),
})

const routeTree = root.addChildren([signIn, setup, app.addChildren([home, devices, device, sessions])])

export function createConsoleRouter(runtime: Runtime) {
  return createRouter({
    routeTree,
    context: { runtime },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: CrashPage,
    defaultNotFoundComponent: NotFoundPage,
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const entries = Object.entries(search).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      )
      return entries.length ? `?${new URLSearchParams(entries)}` : ''
    },
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
