// Routes that need no sign-in.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { z } from 'zod'
import { safeRedirect } from '../../auth/redirect.ts'
import { root } from '../app-route.tsx'
import { pageFile } from '../../platform/page-files.ts'

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: z.object({ redirect: z.string().optional(), expired: z.enum(['yes']).optional().catch(undefined) }),
  beforeLoad: async ({ context: { runtime }, search }) => {
    const state = await runtime.session.refresh(undefined)
    if (state.kind === 'signed-in') throw redirect({ href: safeRedirect(search.redirect, location.origin) })
  },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/sign-in/sign-in-route.tsx')),
    'SignInRoute',
  ),
})

export const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  validateSearch: z.object({ sign: z.string().min(1).optional().catch(undefined) }),
  component: lazyRouteComponent(
    pageFile(() => import('../../features/setup/setup-route.tsx')),
    'SetupRoute',
  ),
})
