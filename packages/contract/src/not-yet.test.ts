// Tests that the list of parts that do not work yet agrees with the contract.
import { describe, expect, it } from 'vitest'
import { SETTINGS, type SettingName } from './config.ts'
import { NOT_YET, type PendingPart, landedSettings } from './not-yet.ts'
import { allOperations } from './operations.ts'

const parts = Object.values<PendingPart>(NOT_YET)

describe('the list of parts that do not work yet', () => {
  it('lists exactly the operations that answer 501', () => {
    const listed = parts.flatMap(({ operations }) => operations)
    const declared = allOperations().flatMap(({ id, operation }) => (operation.notYet ? [id] : []))
    expect(listed.toSorted()).toEqual(declared.toSorted())
  })

  it('names no setting that already exists', () => {
    const settings = Object.keys(SETTINGS) as SettingName[]
    expect(landedSettings(settings)).toEqual([])
  })
})
