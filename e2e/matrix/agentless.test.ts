// Rows of the conformance board against a device without an agent: the same as with a plain sshd beside it.
import { thisMachine } from '@bowline/testkit/place'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMakeDevices } from '../support/device.ts'
import { startAgentless } from './agentless.ts'
import { compareRow, missingPrograms } from './board.ts'
import { openssh } from './clients/openssh.ts'
import { sessions } from './clients/sessions.ts'
import { git, rsync } from './clients/tools.ts'

import { type Sites, startSites } from './sites.ts'

const rows = [...openssh('OpenSSH', thisMachine), ...sessions(), ...rsync(), ...git()]

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
