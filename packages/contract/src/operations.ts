// Every operation of the API by noun. Adding one here is the first step of adding a call (CONTRIBUTING.md).
import type { Operation } from './operation.ts'
import { administration } from './operations/instance/administration.ts'
import { agentUpdates } from './operations/fleet/agent-updates.ts'
import { alerts } from './operations/fleet/alerts.ts'
import { auditStreams } from './operations/fleet/audit-streams.ts'
import { announcements } from './operations/announcements.ts'
import { apiKeys } from './operations/api-keys.ts'
import { auth } from './operations/auth.ts'
import { billing } from './operations/billing.ts'
import { connectors } from './operations/connectors.ts'
import { containers, devices } from './operations/devices.ts'
import { deviceImports } from './operations/fleet/device-imports.ts'
import { deviceJobs } from './operations/fleet/device-jobs.ts'
import { firewall } from './operations/firewall.ts'
import { heldLogins } from './operations/held-logins.ts'
import { installKeys } from './operations/fleet/install-keys.ts'
import { certificates, instance, nodes } from './operations/instance.ts'
import { internal } from './operations/internal.ts'
import { mails } from './operations/mails.ts'
import { mfa } from './operations/mfa.ts'
import { members, namespaces } from './operations/namespaces.ts'
import { pairings } from './operations/fleet/pairings.ts'
import { passkeys } from './operations/passkeys.ts'
import { health } from './operations/fleet/health.ts'
import { incidents, presence } from './operations/fleet/presence.ts'
import { programs } from './operations/programs.ts'
import { publicKeys } from './operations/public-keys.ts'
import { recordings } from './operations/recordings.ts'
import { scim } from './operations/scim.ts'
import { sessions } from './operations/sessions.ts'
import { openid, saml, singleSignOn } from './operations/single-sign-on.ts'
import { audit, events, stats } from './operations/stats.ts'
import { accessRequests } from './operations/fleet/access-requests.ts'
import { roles } from './operations/fleet/roles.ts'
import { snippets } from './operations/fleet/snippets.ts'
import { tagRules } from './operations/fleet/tag-rules.ts'
import { tags } from './operations/tags.ts'
import { terminals } from './operations/terminals.ts'
import { tunnels } from './operations/tunnels.ts'
import { users } from './operations/users.ts'
import { views } from './operations/fleet/views.ts'

export const operations = {
  instance,
  auth,
  programs,
  users,
  mfa,
  passkeys,
  saml,
  openid,
  singleSignOn,
  namespaces,
  members,
  roles,
  apiKeys,
  installKeys,
  pairings,
  scim,
  devices,
  containers,
  presence,
  incidents,
  health,
  alerts,
  views,
  snippets,
  tagRules,
  deviceImports,
  deviceJobs,
  agentUpdates,
  tunnels,
  tags,
  sessions,
  heldLogins,
  terminals,
  recordings,
  publicKeys,
  firewall,
  accessRequests,
  connectors,
  billing,
  announcements,
  administration,
  mails,
  certificates,
  nodes,
  stats,
  events,
  audit,
  auditStreams,
  internal,
}

/** All operations with their ids (`devices.list`), in table order. */
export function allOperations(): { id: string; operation: Operation }[] {
  return Object.entries(operations).flatMap(([noun, group]) =>
    Object.entries(group).map(([verb, definition]) => ({ id: `${noun}.${verb}`, operation: definition as Operation })),
  )
}
