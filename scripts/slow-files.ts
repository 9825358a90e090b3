// Slow test files of which CI runs one of each group, chosen by the commit. Those of a group cover much the same, or take
// about the same time.
import { shortForm } from './short-form.ts'

type Groups = readonly (readonly string[])[]

const E2E: Groups = [
  [
    'e2e/release/release.test.ts',
    'e2e/service/start.test.ts',
    'e2e/service/install.test.ts',
    'e2e/service/service.test.ts',
  ],
  [
    'e2e/console/people/people.test.ts',
    'e2e/console/people/passkeys.test.ts',
    'e2e/console/people/second-factor.test.ts',
    'e2e/console/people/sign-in-settings.test.ts',
  ],
  [
    'e2e/console/people/sign-ins.test.ts',
    'e2e/console/people/linked-identities.test.ts',
    'e2e/console/people/announcements.test.ts',
    'e2e/console/people/mail.test.ts',
  ],
  [
    'e2e/console/people/first-factor.test.ts',
    'e2e/console/people/provisioning.test.ts',
    'e2e/console/people/certificates.test.ts',
    'e2e/single-sign-on/simplesamlphp.test.ts',
  ],
  [
    'e2e/console/people/administration.test.ts',
    'e2e/console/billing/billing.test.ts',
    'e2e/console/people/held-logins.test.ts',
    'e2e/console/people/programs.test.ts',
  ],
  [
    'e2e/console/fleet.test.ts',
    'e2e/console/devices.test.ts',
    'e2e/console/terminals/terminal.test.ts',
    'e2e/docs/behaviour.test.ts',
  ],
  [
    'e2e/console/sign-in.test.ts',
    'e2e/console/tunnels/tunnels.test.ts',
    'e2e/cluster/loss.test.ts',
    'e2e/cluster/faults.test.ts',
  ],
  [
    'e2e/cluster/failover.test.ts',
    'e2e/cluster/store-away.test.ts',
    'e2e/cluster/full-disk.test.ts',
    'e2e/cluster/parted.test.ts',
    'e2e/cluster/traffic.test.ts',
  ],
  [
    'e2e/cluster/history.test.ts',
    'e2e/cluster/clocks.test.ts',
    'e2e/balancers/balancers.test.ts',
    'e2e/matrix/container.test.ts',
  ],
  [
    'e2e/matrix/repeat.test.ts',
    'e2e/forwarding/arrivals.test.ts',
    'e2e/herd/herd.test.ts',
    'e2e/hostile/hostile.test.ts',
  ],
  ['e2e/network.test.ts', 'e2e/survive.test.ts', 'e2e/drain.test.ts', 'e2e/volume.test.ts'],
  [
    'e2e/limits.test.ts',
    'e2e/external-database.test.ts',
    'e2e/keyboard-interactive.test.ts',
    'e2e/second-factor/tools.test.ts',
  ],
  [
    'e2e/files/clients.test.ts',
    'e2e/mail/crash.test.ts',
    'e2e/tracing/tracing.test.ts',
    'e2e/deploy/monitoring.test.ts',
  ],
  [
    'e2e/tunnels/doors.test.ts',
    'e2e/tunnels/ends.test.ts',
    'e2e/cluster/lagging-standby.test.ts',
    'e2e/cluster/trace.test.ts',
  ],
  [
    'e2e/cluster/agentless.test.ts',
    'e2e/cluster/existing-agents.test.ts',
    'e2e/cluster/cut-off.test.ts',
    'e2e/cluster/joined.test.ts',
  ],
  [
    'e2e/service/service-openrc.test.ts',
    'e2e/service/update-openrc.test.ts',
    'e2e/service/package.test.ts',
    'e2e/service/apt-repository.test.ts',
  ],
  [
    'e2e/console/terminals/vault.test.ts',
    'e2e/console/terminals/files.test.ts',
    'e2e/console/terminals/joined.test.ts',
    'e2e/console/terminals/watched.test.ts',
  ],
]

const SERVER: Groups = [
  ['apps/server/src/recordings/offload/object-store.test.ts', 'apps/server/src/connectors/dialing.test.ts'],
  ['apps/server/src/mfa/guessing.test.ts', 'apps/server/src/connectors/containers/files/files.test.ts'],
  ['apps/server/src/db/embedded/place.test.ts', 'apps/server/src/db/embedded/supervisor.test.ts'],
  ['apps/server/src/recordings/long-recording.test.ts', 'apps/server/src/devices/long-lists.test.ts'],
  ['apps/server/src/gateway/links/poison.test.ts', 'apps/server/src/tunnels/tcp/tcp-tunnels.test.ts'],
  ['apps/server/src/connectors/files.test.ts', 'apps/server/src/db/backup/backup.test.ts'],
  ['apps/server/src/gateway/login/second-factor.test.ts', 'apps/server/src/mfa/fresh-proof.test.ts'],
  ['apps/server/src/registration/register.test.ts', 'apps/server/src/registration/recovery.test.ts'],
  ['apps/server/src/exports/offloaded.test.ts', 'apps/server/src/exports/exports.test.ts'],
  ['apps/server/src/connectors/containers/connection.test.ts', 'apps/server/src/connectors/containers.test.ts'],
  ['apps/server/src/connectors/through-device.test.ts', 'apps/server/src/http/database-away.test.ts'],
  ['apps/server/src/namespaces/closing.test.ts', 'apps/server/src/billing/standing.test.ts'],
  ['apps/server/src/tunnels/doors/doors.test.ts', 'apps/server/src/members/keys.test.ts'],
  ['apps/server/src/single-sign-on/group-roles.test.ts', 'apps/server/src/single-sign-on/saml/sign-in.test.ts'],
  [
    'apps/server/src/gateway/bridges/enrolled/trouble.test.ts',
    'apps/server/src/gateway/bridges/tunnels/tunnels.test.ts',
  ],
  ['apps/server/src/passkeys/sign-in.test.ts', 'apps/server/src/passkeys/registration.test.ts'],
  ['apps/server/src/certificates/acme.test.ts', 'apps/server/src/auth/device-codes/device-codes.test.ts'],
  ['apps/server/src/billing/devices.test.ts', 'apps/server/src/billing/interleaving.test.ts'],
]

/** Files that this run leaves out, by project. */
export const leftOut = { e2e: others(E2E), server: others(SERVER) }

function others(groups: Groups): readonly string[] {
  return groups.flatMap((group, i) => {
    // Rotated, so that one run has no side of all.
    const ordered = group.map((_, at) => group[(at + i) % group.length] ?? '')
    const chosen = shortForm(ordered, group.length)
    return ordered.filter((file) => !chosen.includes(file))
  })
}
