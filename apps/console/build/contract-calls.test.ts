import { describe, expect, it } from 'vitest'
import { callsOf, droppedPart } from './contract-calls.ts'

const OPERATIONS = `const Fields = z.object({ name: Name })
const shared = { noun, body: Fields } as const
export const views = {
  create: operation({
    ...shared,
    method: 'POST',
    path: '/api/views',
    summary: 'Save a list, under a name',
    response: z.object({ id: Id }),
  }),
}
const LIMIT = 5
`

describe('the contract in the console’s build', () => {
  it('keeps method and path of an operation, and what may hold them', () => {
    const [, call = ''] = /operation\(\{([^}]*)\}\)/.exec(callsOf(OPERATIONS, 'views.ts')) ?? []
    expect(call.split('\n').flatMap((line) => line.trim() || [])).toEqual([
      '...shared,',
      "method: 'POST',",
      "path: '/api/views',",
    ])
  })

  it('marks what constants are made of as free of side effects', () => {
    const code = callsOf(OPERATIONS, 'views.ts')
    expect(code).toContain('const Fields = /* @__PURE__ */ (() => (z.object({ name: Name })))()')
    expect(code).toContain('const shared = /* @__PURE__ */ (() => ({ noun, body: Fields } as const))()')
    expect(code).toContain('const LIMIT = 5\n')
  })

  it('refuses an operation whose parts it cannot see', () => {
    expect(() => callsOf('export const get = operation(definition)', 'get.ts')).toThrow('not written as an object')
  })

  it.each([
    ['views.create.body?.shape.name', 'views.create.body'],
    ['api.call(views.create, { body })', undefined],
    ['input.views.create.body', undefined],
  ])('in %s finds %s', (code, found) => {
    const module = `import { type SavedView, views } from '@bowline/contract/operations/fleet/views'\n${code}`
    expect(droppedPart(module)).toBe(found)
  })

  it('knows an operation by the name that the module gives it', () => {
    const module = `import { apiKeys as operations } from '@bowline/contract/operations/api-keys'\noperations.create.response`
    expect(droppedPart(module)).toBe('operations.create.response')
  })
})
