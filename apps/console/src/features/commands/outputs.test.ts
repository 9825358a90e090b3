import { expect, it } from 'vitest'
import { createOutputs } from './outputs.ts'

const LONG = 'x'.repeat(2_000)

it('keeps the beginning of what has no room any more, and what others have written in full', () => {
  const outputs = createOutputs(5_000)
  const keep = (output: string) => outputs.keep({ output, isCut: false })
  expect(keep(`${LONG}a`)).toEqual({ output: `${LONG}a`, isCut: false })
  expect(keep(`${LONG}b`)).toEqual({ output: `${LONG}b`, isCut: false })
  expect(keep(`${LONG}c`)).toEqual({ output: LONG.slice(0, 1_024), isCut: true })
  expect(keep(`${LONG}a`)).toEqual({ output: `${LONG}a`, isCut: false })
  expect(keep('short')).toEqual({ output: 'short', isCut: false })
})

it('says of a kept output that it was cut before', () => {
  expect(createOutputs().keep({ output: LONG, isCut: true })).toEqual({ output: LONG, isCut: true })
})
