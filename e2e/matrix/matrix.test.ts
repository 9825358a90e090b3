// The conformance board as tests: one for each row; in CI half of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMakeDevices } from '../support/device.ts'
import { repeatedBy, shortForm } from '../../scripts/short-form.ts'
import { compareRow, missingPrograms } from './board.ts'
import { rows } from './rows.ts'
import { type Sites, startSites } from './sites.ts'

describe.skipIf(!canMakeDevices)(`through Bowline as with a plain sshd (needs root)${repeatedBy}`, () => {
  let sites: Sites
  beforeAll(async () => {
    sites = await startSites()
  })
  afterAll(() => sites[Symbol.asyncDispose]())

  for (const row of shortForm(rows, 2)) {
    const missing = missingPrograms(row)
    const needs = missing.length ? ` (needs ${missing.join(', ')})` : ''
    it.skipIf(missing.length > 0)(`${row.client}: ${row.feature}${needs}`, async () => {
      expect(await compareRow(row, sites)).toEqual({ is: 'equal' })
    })
  }
})
