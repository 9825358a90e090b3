// Routes that need no sign-in.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { z } from 'zod'
import { ApiError } from '@bowline/contract/client'
import { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import { safeRedirect } from '../../auth/redirect.ts'
import type { Session } from '../../auth/session.ts'
import { noteProvider } from '../../auth/sign-in-provider.ts'
import { root } from '../app-route.tsx'
import { pageFile } from '../../platform/page-files.ts'

const SignInSearch = z.object({
  redirect: z.string().optional().catch(undefined),
  expired: z.enum(['yes']).optional().catch(undefined),
  /** One-use token of a single sign-on. */
  token: z.string().max(128).optional().catch(undefined),
  /** Attributes that the identity provider did not send. */
  missing_assertions: z.string().max(512).optional().catch(undefined),
  /** Token of a mailed link that links an account. */
  proof: z.string().max(128).optional().catch(undefined),
  /** Id of the OpenID provider of a single sign-on. */
  provider: z.uuid().optional().catch(undefined),
  /** Why a single sign-on was refused. */
  sso: z.string().max(20).optional().catch(undefined),
})

/** Address that existing clients know, and that single sign-on ends at. */
export const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: SignInSearch,
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/sign-in', search, replace: true })
  },
})

export const linkAccount = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/link',
  validateSearch: SignInSearch,
  component: lazyRouteComponent(
    pageFile(() => import('../../features/sign-in/link-route.tsx')),
    'LinkRoute',
  ),
})

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: SignInSearch,
  beforeLoad: async ({ context: { runtime }, search }) => {
    const { token, provider, ...rest } = search
    if (token !== undefined) {
      const sso = await exchange(runtime.session, token)
      // The token leaves the address and the history.
      // The page asks for the second factor of a sign-in that waits for it.
      const isShown = sso !== undefined && sso !== 'factor'
      if (!isShown) noteProvider(provider)
      throw redirect({ to: '/sign-in', search: isShown ? { ...rest, sso } : rest, replace: true })
    }
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

export const resetMfa = createRoute({
  getParentRoute: () => root,
  path: '/reset-mfa',
  validateSearch: z.object({ id: z.string().min(1).max(64).optional().catch(undefined) }),
  component: lazyRouteComponent(
    pageFile(() => import('../../features/second-factor/reset-page.tsx')),
    'ResetPage',
  ),
})

export const lostDevice = createRoute({
  getParentRoute: () => root,
  path: '/lost-device',
  component: lazyRouteComponent(
    pageFile(() => import('../../features/second-factor/lost-device-page.tsx')),
    'LostDevicePage',
  ),
})

/** Signs in with a one-use token. @returns why it was refused */
async function exchange(session: Session, token: string): Promise<string | undefined> {
  try {
    await session.enter(async (client) => (await client.call(singleSignOn.exchange, { body: { token } })).body)
    return undefined
  } catch (error) {
    return error instanceof ApiError && error.code === 'MFA_REQUIRED' ? 'factor' : 'token'
  }
}
