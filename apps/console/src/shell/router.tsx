// The console's routes. Each page parses its search string with its own schema; strings stay strings (a set-up link's
// signature may look like a number).
import { createRouter } from '@tanstack/react-router'
import { app, root } from './app-route.tsx'
import { CrashPage } from './crash-page.tsx'
import { NotFoundPage } from '../core/not-found-page.tsx'
import { firewall, publicKeys, tags, team } from './routes/access.ts'
import { containers, dashboard, device, devices, session, sessions, terminal } from './routes/fleet.ts'
import { setup, signIn } from './routes/front.ts'
import { announcement, announcements, audit, profile, settings } from './routes/namespace.ts'
import { player, recordings } from './routes/recordings.ts'
import type { Runtime } from '../core/runtime.ts'

const routeTree = root.addChildren([
  signIn,
  setup,
  app.addChildren([
    dashboard,
    devices,
    containers,
    device,
    sessions,
    publicKeys,
    firewall,
    tags,
    team,
    settings,
    audit,
    announcements,
    announcement,
    profile,
    session,
    terminal,
    player,
    recordings,
  ]),
])

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
