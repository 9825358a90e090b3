// Parent routes: the root, and the layout of everything that needs a sign-in.
import { createRootRouteWithContext, createRoute, notFound, redirect, rootRouteId } from '@tanstack/react-router'
import { NotFoundInShell, NotFoundPage } from '../core/not-found-page.tsx'
import { Root } from './root.tsx'
import type { Runtime } from '../core/runtime.ts'
import { Shell } from './shell.tsx'

export const root = createRootRouteWithContext<{ runtime: Runtime }>()({
  component: Root,
  notFoundComponent: NotFoundPage,
})

/** Parent of all routes that need a sign-in. */
export const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  beforeLoad: async ({ context: { runtime }, location, matches }) => {
    const state = await runtime.session.refresh(undefined)
    if (state.kind === 'signed-in') return
    if (matches.some(({ routeId }) => routeId === unknown.id)) throw notFound({ routeId: rootRouteId })
    const search = location.href === '/' ? {} : { redirect: location.href }
    throw redirect({ to: '/sign-in', search })
  },
  component: Shell,
})

/** Any other address: within the shell for people who are signed in, as the way on is in it. */
export const unknown = createRoute({ getParentRoute: () => app, path: '$', component: NotFoundInShell })
