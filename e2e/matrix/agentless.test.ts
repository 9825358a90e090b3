// Rows of the conformance board against devices without an agent: the same as with their own SSH server, asked directly.
import { thisMachine } from '@bowline/testkit/place'
import { hasCommand } from '@bowline/testkit/real-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMakeDevices } from '../support/device.ts'
import { startAgentless, startAgentlessDropbear, startPlainDropbear } from './agentless.ts'
import { compareRow, missingPrograms, outcomeOf } from './board.ts'
import { openssh } from './clients/openssh.ts'
import { sessions } from './clients/sessions.ts'
import { git, rsync, x11 } from './clients/tools.ts'
import type { Row } from './row.ts'
import { type Sites, startSites } from './sites.ts'
import { attempt, must } from './tool.ts'

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
  // OpenSSH's client tells only servers of its own kind that it reads no more: with Dropbear alone it hangs.
  'a reader that stops',
  // Dropbear has no keyboard-interactive, which Bowline offers: the client asks once less.
  'a wrong password',
  'variables that the client sends',
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

  it.skipIf(!hasCommand('sshpass'))('OpenSSH: a wrong password, by the one method that Dropbear has', async () => {
    const options = ['PubkeyAuthentication=no', 'PreferredAuthentications=password', 'NumberOfPasswordPrompts=1']
    const row: Row = {
      client: 'OpenSSH',
      feature: 'a wrong password',
      needs: ['ssh', 'sshpass'],
      async run({ configFile }) {
        const ssh = ['ssh', '-F', configFile, ...options.flatMap((option) => ['-o', option]), 'device', 'true']
        const ran = await attempt(['sshpass', '-e', ...ssh], { env: { SSHPASS: 'wrong horse' } })
        must(ran.code !== 0 && ran.stdout === '', ran)
        return ran.code
      },
    }
    expect(await compareRow(row, sites)).toEqual({ is: 'equal' })
  })

  it('OpenSSH: a reader that stops (yes | head), which hangs with Dropbear alone', async () => {
    const row = rows.find(({ feature }) => feature.includes('a reader that stops'))
    expect(row && (await outcomeOf(row, sites, 'bowline'))).toBe('y\ny\n')
  })
})
