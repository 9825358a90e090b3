// The table of fresh proofs: complete, and said by the documents.
import { expect, it } from 'vitest'
import { errorCodesOf } from '../openapi.ts'
import { allOperations } from '../operations.ts'
import { asksOf, proofRulesOf } from './proofs.ts'

const all = allOperations()

it('classifies every operation once', () => {
  const classified = all.map(({ id }) => ({ id, rules: proofRulesOf(id).length }))
  expect(classified.filter(({ rules }) => rules !== 1)).toEqual([])
})

it('gives each rule a reason and an operation', () => {
  const rules = new Set(all.flatMap(({ id }) => proofRulesOf(id)))
  expect([...rules].filter(({ why, operations }) => why === '' || operations.length === 0)).toEqual([])
})

it('documents the refusal of every operation that asks, and of no other', () => {
  const wrong = all.filter(
    ({ operation }) => errorCodesOf(operation).includes('FRESH_PROOF_REQUIRED') !== (asksOf(operation) !== 'nobody'),
  )
  expect(wrong.map(({ id }) => id)).toEqual([])
})
