// The console's routes. Each page parses its search string with its own schema; strings stay strings (a set-up link's
// signature may look like a number).
import { createRouter } from '@tanstack/react-router'
import { app, root, unknown } from './app-route.tsx'
import { CrashPage } from './crash-page.tsx'
import { NotFoundPage } from '../core/not-found-page.tsx'
import { accessRequests, agentUpdates, firewall, installKeys, publicKeys, tags, team } from './routes/access.ts'
import {
  containers,
  dashboard,
  device,
  devices,
  devicesMap,
  incident,
  deviceFiles,
  incidents,
  session,
  sessions,
  terminal,
  tunnelVisit,
} from './routes/fleet.ts'
import { linkAccount, login, lostDevice, resetMfa, setup, signIn } from './routes/front.ts'
import {
  certificates,
  deletedNamespaces,
  mail,
  namespace,
  namespaces,
  news,
  nodes,
  people,
  person,
  serverAudit,
} from './routes/instance.ts'
import {
  activate,
  alerts,
  announcement,
  announcements,
  approve,
  audit,
  auditStreams,
  billing,
  profile,
  settings,
  signInSettings,
  snippets,
  vault,
} from './routes/namespace.ts'
import { acceptInvite, confirmAccount, forgotPassword, signUp, updatePassword, validation } from './routes/people.ts'
import { player, recordings } from './routes/recordings.ts'
import type { Runtime } from '../core/runtime.ts'
import { parseSearch, stringifySearch } from './search-params.ts'

const routeTree = root.addChildren([
  signIn,
  login,
  linkAccount,
  setup,
  signUp,
  confirmAccount,
  validation,
  forgotPassword,
  updatePassword,
  acceptInvite,
  resetMfa,
  lostDevice,
  app.addChildren([
    dashboard,
    devices,
    devicesMap,
    containers,
    device,
    deviceFiles,
    incidents,
    incident,
    tunnelVisit,
    sessions,
    publicKeys,
    firewall,
    accessRequests,
    tags,
    installKeys,
    agentUpdates,
    team,
    settings,
    mail,
    certificates,
    nodes,
    news,
    people,
    person,
    namespaces,
    deletedNamespaces,
    namespace,
    serverAudit,
    alerts,
    snippets,
    audit,
    auditStreams,
    billing,
    announcements,
    announcement,
    profile,
    vault,
    activate,
    approve,
    signInSettings,
    session,
    terminal,
    player,
    recordings,
    unknown,
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
    parseSearch,
    stringifySearch,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
