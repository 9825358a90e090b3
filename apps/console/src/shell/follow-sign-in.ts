// Keeps the URL in step with the session, whichever tab changed it.
import type { Session } from '../auth/session.ts'
import { safeRedirect } from '../auth/redirect.ts'
import { app } from './app-route.tsx'
import type { createConsoleRouter } from './router.tsx'

/** Goes to the sign-in page when the session ends, and to the requested page when one starts there. */
export function followSignIn(session: Session, router: ReturnType<typeof createConsoleRouter>): void {
  let wasSignedIn = false
  let tenant = ''
  session.state.subscribe(() => {
    const state = session.state.get()
    const { pathname, href, search } = router.state.location
    if (state.kind === 'signed-in' && pathname === '/sign-in') {
      void router.navigate({ href: safeRedirect(search.redirect, location.origin), replace: true })
    }
    // Landings of mails need no session, and say themselves what comes next.
    const needsSession = router.state.matches.some(({ routeId }) => routeId === app.id)
    if (state.kind === 'signed-out' && wasSignedIn && needsSession) {
      void router.navigate({
        to: '/sign-in',
        search: state.expired ? { redirect: href, expired: 'yes' } : {},
        replace: state.expired,
        // The session is gone, whatever was typed.
        ignoreBlocker: true,
      })
    }
    // The URL referred to something in the namespace that was left.
    const next = state.kind === 'signed-in' ? state.person.tenant : ''
    if (wasSignedIn && tenant !== '' && next !== '' && next !== tenant)
      void router.navigate({ to: '/', ignoreBlocker: true })
    tenant = next === '' ? tenant : next
    wasSignedIn = state.kind === 'signed-in'
  })
}
