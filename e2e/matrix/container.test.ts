// Rows of the conformance board against a container: the same as with a plain sshd beside it, but for what containers do
// not have, which is listed with its reason. A row of that list that becomes equal fails, so that the list stays true.
import { thisMachine } from '@bowline/testkit/place'
import { containerEngineMissing } from '@bowline/testkit/container-engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMakeDevices } from '../support/device.ts'
import { compareRow, missingPrograms } from './board.ts'
import { openssh } from './clients/openssh.ts'
import { sessions } from './clients/sessions.ts'
import { git, rsync } from './clients/tools.ts'
import { startWithContainer } from './container.ts'
import { type Sites, startSites } from './sites.ts'

const NO_SIGNAL = 'engines tell no signal: the exit code is 128 and its number'
const NO_LISTENER = 'nothing listens in a container for a person'
const DIFFERENT: Readonly<Record<string, string>> = {
  'a command that a signal ends': NO_SIGNAL,
  'commands that die of signals without a name in SSH': NO_SIGNAL,
  'how commands end': `${NO_SIGNAL}; what a command leaves in the background is heard no more`,
  'the environment of a command': 'engines add variables of their own',
  'a password': 'passwords of containers are not checked',
  'a remote forward (-R)': NO_LISTENER,
  'a unix socket on the device (-R)': NO_LISTENER,
  'the agent, lent (-A)': NO_LISTENER,
  'limits, and outputs opened by name': 'the limits are those of the container',
}
/** Fails as the other remote forwards do, but only after half a minute. */
const SLOW = 'a remote forward with a port that the device chooses'
const rows = [...openssh('OpenSSH', thisMachine), ...sessions(), ...rsync(), ...git()].filter(
  ({ feature }) => feature !== SLOW,
)
const missing = containerEngineMissing()
if (missing !== undefined && process.env['CI'] === 'true') throw new Error(missing)

describe.skipIf(!canMakeDevices || missing !== undefined)('in a container as with a plain sshd', () => {
  let sites: Sites
  beforeAll(async () => {
    sites = await startSites(1, startWithContainer)
  }, 60_000)
  afterAll(() => sites?.[Symbol.asyncDispose]())

  for (const row of rows) {
    const lacks = missingPrograms(row)
    const needs = lacks.length > 0 ? ` (needs ${lacks.join(', ')})` : ''
    const reason = DIFFERENT[row.feature]
    const title = reason === undefined ? row.feature : `not ${row.feature}: ${reason}`
    it.skipIf(lacks.length > 0)(`${row.client}: ${title}${needs}`, async () => {
      const verdict = await compareRow(row, sites)
      // With the verdict in sight where it is another one than expected.
      expect({ verdict, isEqual: verdict.is === 'equal' }).toEqual({ verdict, isEqual: reason === undefined })
    })
  }
})
