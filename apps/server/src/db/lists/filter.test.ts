import { BowlineError } from '@bowline/contract/errors'
import { FilterText } from '@bowline/contract/schemas/filter'
import * as fc from 'fast-check'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type FilterProperties, compileFilter } from './filter.ts'

const db = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const properties: FilterProperties = {
  name: { sql: sql.ref('name'), type: 'text' },
  online: { sql: sql.ref('online'), type: 'boolean' },
  count: { sql: sql.ref('count'), type: 'number' },
  tags: { sql: sql.ref('tags'), type: 'text-array' },
  seen: { sql: sql.ref('seen'), type: 'time' },
}
const property = (name: string, operator: string, value: unknown) => ({
  type: 'property',
  params: { name, operator, value },
})
const operator = (name: string) => ({ type: 'operator', params: { name } })
const encode = (items: unknown) => Buffer.from(JSON.stringify(items)).toString('base64')

function compiled(items: unknown, trailing: 'and' | 'or' = 'and') {
  const condition = compileFilter(encode(items), properties, trailing)
  if (!condition) return undefined
  const { sql: text, parameters } = sql`${condition}`.compile(db)
  return { text, parameters }
}

function refusal(text: string): string {
  try {
    compileFilter(text, properties, 'and')
  } catch (error) {
    if (error instanceof BowlineError && error.code === 'INVALID_FILTER') return error.message
    throw error
  }
  return 'accepted'
}

describe('list filter', () => {
  it('binds every filter value as a parameter', () => {
    const hostile = `'; drop table devices; --`
    expect(compiled([property('name', 'eq', hostile)])).toEqual({ text: '"name" = $1', parameters: [hostile] })
  })

  it('escapes % and _ in text filters', () => {
    expect(compiled([property('name', 'contains', '50%_x')])?.parameters).toEqual([String.raw`%50\%\_x%`])
  })

  it('joins properties by the operator that follows them, and groups by and', () => {
    const items = [
      property('name', 'eq', 'a'),
      property('name', 'eq', 'b'),
      operator('or'),
      property('online', 'bool', true),
    ]
    expect(compiled(items)?.text).toBe('(("name" = $1 or "name" = $2) and "online")')
  })

  it('joins trailing properties by the list’s default operator', () => {
    const items = [property('name', 'eq', 'a'), property('name', 'eq', 'b')]
    expect(compiled(items, 'and')?.text).toContain(' and ')
    expect(compiled(items, 'or')?.text).toContain(' or ')
  })

  it('matches all values of an array, or a substring of any element', () => {
    expect(compiled([property('tags', 'contains', ['a', 'b'])])?.text).toBe('"tags" @> $1::text[]')
    expect(compiled([property('tags', 'contains', 'a')])?.text).toContain('ilike')
  })

  it('excludes what contains a text, and finds what has no value', () => {
    expect(compiled([property('name', 'ncontains', '50%')])).toEqual({
      text: 'not coalesce("name" ilike $1, false)',
      parameters: [String.raw`%50\%%`],
    })
    expect(compiled([property('tags', 'ncontains', ['a', 'b'])])?.text).toBe(
      'not coalesce("tags" @> $1::text[], false)',
    )
    expect(refusal(encode([property('count', 'ncontains', 'x')]))).toContain('for texts and lists; count is a number')
  })

  it('parses booleans, numbers and times in the forms that clients send', () => {
    expect(compiled([property('online', 'bool', 't')])).toEqual({ text: '"online"', parameters: [] })
    expect(compiled([property('online', 'eq', '0')])).toEqual({ text: 'not "online"', parameters: [] })
    expect(compiled([property('count', 'gt', '3')])?.parameters).toEqual([3])
    expect(compiled([property('seen', 'lt', 60)])?.parameters).toEqual([new Date(60_000)])
    expect(compiled([property('seen', 'gt', '2026-01-01T00:00:00Z')])?.parameters).toEqual([new Date('2026-01-01')])
  })

  it('accepts unpadded base64url, and ignores an empty filter', () => {
    const text = Buffer.from(JSON.stringify([property('name', 'eq', '?>?>')])).toString('base64url')
    expect(compileFilter(text, properties, 'and')).toBeDefined()
    expect(compileFilter('', properties, 'and')).toBeUndefined()
    expect(compiled([])).toBeUndefined()
    expect(compiled([operator('and')])).toBeUndefined()
  })

  it.each([
    ['!!', 'must be base64'],
    [Buffer.from('{').toString('base64'), 'must be base64 of JSON'],
    [encode({}), 'expected array'],
    [encode([property('password', 'eq', 'x')]), 'no property password'],
    [encode([property('constructor', 'eq', 'x')]), 'no property constructor'],
    [encode([property('name', 'like', 'x')]), 'operator'],
    [encode([property('name', 'gt', 1)]), 'numbers and times'],
    [encode([property('count', 'gt', 'many')]), 'must be a number'],
    [encode([property('online', 'bool', 'maybe')]), 'true or false'],
    [encode([property('name', 'contains', ['a'])]), 'is no list'],
    [encode(Array.from({ length: 65 }, () => operator('and'))), 'Too big'],
    [encode(Array.from({ length: 21 }, () => property('name', 'eq', 'x'))), 'must have at most 20 conditions'],
  ])('refuses the filter %s with the message %s', (text, rule) => {
    expect(refusal(text)).toContain(rule)
  })

  it('is at most 4,096 characters in a request', () => {
    expect([4_096, 4_097].map((length) => FilterText.safeParse('A'.repeat(length)).success)).toEqual([true, false])
  })

  it('either compiles or refuses arbitrary input', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((json) => Buffer.from(json).toString('base64')),
        ),
        (text) => {
          expect(typeof refusal(text)).toBe('string')
        },
      ),
    )
  })
})
