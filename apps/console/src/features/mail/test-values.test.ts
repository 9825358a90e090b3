import { describe, expect, it } from 'vitest'
import { TestWithOthers, testBody } from './test-values.ts'

const FIELDS = {
  to: 'Ada@Example.com',
  url: 'smtp://mail.example.com',
  from: 'bowline@example.com',
  starttls: 'required',
  name: '',
  ca: '',
} as const

describe('values of a test mail', () => {
  it('leaves empty fields out', () => {
    expect(testBody(TestWithOthers.parse(FIELDS))).toEqual({
      to: 'ada@example.com',
      url: 'smtp://mail.example.com',
      from: 'bowline@example.com',
      starttls: 'required',
    })
    expect(testBody(TestWithOthers.parse({ ...FIELDS, name: 'out.example.com', ca: 'PEM' }))).toMatchObject({
      name: 'out.example.com',
      ca: 'PEM',
    })
  })

  it.each([
    ['to', ''],
    ['url', ''],
    ['url', 'http://mail.example.com'],
    ['from', 'nobody'],
    ['name', 'two words'],
  ])('reports %s=%j at its field', (field, value) => {
    const { error } = TestWithOthers.safeParse({ ...FIELDS, [field]: value })
    expect(new Set(error?.issues.map(({ path }) => path[0]))).toEqual(new Set([field]))
  })
})
