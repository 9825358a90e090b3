// Routes of registration, recovery and invitations: most of them are landings of mails.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { z } from 'zod'
import { InvitationSearch } from '../../features/people/search.ts'
import { root } from '../app-route.tsx'
import { pageFile } from '../../platform/page-files.ts'

const text = z.string().min(1).max(512).optional().catch(undefined)

export const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: InvitationSearch,
  component: lazyRouteComponent(
    pageFile(() => import('../../features/people/sign-up-page.tsx')),
    'SignUpPage',
  ),
})

export const confirmAccount = createRoute({
  getParentRoute: () => root,
  path: '/confirm-account',
  validateSearch: z.object({ username: text }),
  component: lazyRouteComponent(
    pageFile(() => import('../../features/people/confirm-account-page.tsx')),
    'ConfirmAccountPage',
  ),
})

export const validation = createRoute({
  getParentRoute: () => root,
  path: '/validation-account',
  validateSearch: z.object({ email: text, token: text }),
  beforeLoad: async ({ context: { runtime } }) => {
    // The link works without a session; with one, the account on the screen changes.
    await runtime.session.refresh(undefined).catch(() => undefined)
  },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/people/validation-page.tsx')),
    'ValidationPage',
  ),
})

export const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/people/forgot-password-page.tsx')),
    'ForgotPasswordPage',
  ),
})

export const updatePassword = createRoute({
  getParentRoute: () => root,
  path: '/update-password',
  validateSearch: z.object({ id: text, token: text }),
  component: lazyRouteComponent(
    pageFile(() => import('../../features/people/update-password-page.tsx')),
    'UpdatePasswordPage',
  ),
})

export const acceptInvite = createRoute({
  getParentRoute: () => root,
  path: '/accept-invite',
  validateSearch: InvitationSearch,
  beforeLoad: async ({ context: { runtime } }) => {
    await runtime.session.refresh(undefined)
  },
  component: lazyRouteComponent(
    pageFile(() => import('../../features/people/accept-invite-page.tsx')),
    'AcceptInvitePage',
  ),
})
