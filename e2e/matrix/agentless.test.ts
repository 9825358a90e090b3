// Rows of the conformance board against devices without an agent: the same as with their own SSH server, asked directly.
import { thisMachine } from '@bowline/testkit/place'
import { hasCommand } from '@bowline/testkit/real-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMakeDevices } from '../support/device.ts'
import { startAgentless, startAgentlessDropbear, startPlainDropbear } from './agentless.ts'
import { compareRow, missingPrograms } from './board.ts'
import { openssh } from './clients/openssh.ts'
import { sessions } from './clients/sessions.ts'
import { git, rsync, x11 } from './clients/tools.ts'
import { type Sites, startSites } from './sites.ts'

const rows = [...openssh('OpenSSH', thisMachine), ...sessions(), ...rsync(), ...git(), ...x11()]

describe.skipIf(!canMakeDevices)('without an agent as with a plain sshd', () => {
  let sites: Sites
  beforeAll(async () => {
    sites = await startSites(1, startAgentless)
  }, 60_000)
  afterAll(() => sites?.[Symbol.asyncDispose]())

  for (const row of rows) {
    const lacks = missingPrograms(row)
    const needs = lacks.length > 0 ? ` (needs ${lacks.join(', ')})` : ''
    it.skipIf(lacks.length > 0)(`${row.client}: ${row.feature}${needs}`, async () => {
      expect(await compareRow(row, sites)).toEqual({ is: 'equal' })
    })
  }
})

/** Features whose rows do not work with Dropbear itself, or end there in another way than with every other server. */
const NOT_BY_DROPBEAR = [
  'how commands end',
  'a reader that stops',
  'variables that the client sends',
  'a wrong password',
  'a unix socket',
  'one connection for many commands',
  'limits, and outputs opened by name',
  'on the display here',
  'the same, untrusted',
]
const ofDropbear = rows.filter(({ feature }) => !NOT_BY_DROPBEAR.some((one) => feature.includes(one)))

describe.skipIf(!canMakeDevices || !hasCommand('dropbear'))('without an agent as with a plain Dropbear', () => {
  let sites: Sites
  beforeAll(async () => {
    sites = await startSites(1, startAgentlessDropbear, startPlainDropbear)
  }, 60_000)
  afterAll(() => sites?.[Symbol.asyncDispose]())

  for (const row of ofDropbear) {
    const lacks = missingPrograms(row)
    const needs = lacks.length > 0 ? ` (needs ${lacks.join(', ')})` : ''
    it.skipIf(lacks.length > 0)(`${row.client}: ${row.feature}${needs}`, async () => {
      expect(await compareRow(row, sites)).toEqual({ is: 'equal' })
    })
  }
})
