// The list of parts that do not work yet says what the contract says.
import { describe, expect, it } from 'vitest'
import { SETTINGS, type SettingName } from './config.ts'
import { NOT_YET, type PendingPart, landedSettings } from './not-yet.ts'
import { allOperations } from './operations.ts'

const parts = Object.values<PendingPart>(NOT_YET)

describe('the list of parts that do not work yet', () => {
  it('holds each operation that answers 501, once, and no other', () => {
    const listed = parts.flatMap(({ operations }) => operations)
    const declared = allOperations().flatMap(({ id, operation }) => (operation.notYet ? [id] : []))
    expect(listed.toSorted()).toEqual(declared.toSorted())
  })

  it('names no setting that exists: its part has landed', () => {
    const settings = Object.keys(SETTINGS) as SettingName[]
    expect(landedSettings(settings)).toEqual([])
  })
})
