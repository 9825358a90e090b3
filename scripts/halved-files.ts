// End-to-end files of a minute and more that CI runs by halves. Pairs cover much the same, from two sides.
import { shortForm } from './short-form.ts'

const PAIRS: readonly (readonly [string, string])[] = [
  ['e2e/release/release.test.ts', 'e2e/service/start.test.ts'],
  ['e2e/console/people/people.test.ts', 'e2e/console/people/passkeys.test.ts'],
  ['e2e/console/people/second-factor.test.ts', 'e2e/console/people/sign-in-settings.test.ts'],
  ['e2e/console/fleet.test.ts', 'e2e/console/devices.test.ts'],
  ['e2e/console/people/administration.test.ts', 'e2e/console/billing/billing.test.ts'],
  ['e2e/console/sign-in.test.ts', 'e2e/console/tunnels/tunnels.test.ts'],
  ['e2e/console/people/held-logins.test.ts', 'e2e/console/people/programs.test.ts'],
  ['e2e/cluster/loss.test.ts', 'e2e/cluster/faults.test.ts'],
  ['e2e/balancers/balancers.test.ts', 'e2e/matrix/container.test.ts'],
  ['e2e/network.test.ts', 'e2e/survive.test.ts'],
  ['e2e/limits.test.ts', 'e2e/external-database.test.ts'],
]

/** Files that this run leaves out. */
export function leftOut(): readonly string[] {
  return PAIRS.flatMap((pair, i) => {
    // Every other pair the other way round, so that one run has no side of all.
    const ordered = i % 2 === 0 ? pair : pair.toReversed()
    const chosen = shortForm(ordered, 2)
    return ordered.filter((file) => !chosen.includes(file))
  })
}
