// What commands of administration need: the operator of the server acts.
import { systemClock } from '@bowline/base/clock'
import type { AdministrationDeps, By } from '../../administration/deps.ts'
import { endBrowserSessionsOf } from '../../auth/service.ts'
import { COMMAND_LINE } from '../../users/activity.ts'
import type { Instance } from '../instance.ts'

export const BY_OPERATOR: By = { actor: { kind: 'system', name: 'command line' }, origin: COMMAND_LINE }

export function administrationOf({ system, contextOf }: Instance): AdministrationDeps {
  return {
    system,
    clock: systemClock,
    endSessions: endBrowserSessionsOf,
    contextOf,
    // Traffic is in the server's process, which looks by itself within seconds.
    reviewTunnels: () => Promise.resolve(),
  }
}
