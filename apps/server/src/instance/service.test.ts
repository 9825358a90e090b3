import { NamespaceName } from '@bowline/contract/schemas/namespace'
import { Username } from '@bowline/contract/schemas/common'
import { assert, property, stringMatching } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namespaceName } from './service.ts'

describe('namespaceName', () => {
  it.each([
    ['ada', 'ada'],
    ['Ada.Lovelace', 'ada-lovelace'],
    ['ada@example.com', 'ada-example-com'],
    ['__ada__', 'ada'],
    ['-_-', 'namespace'],
    ['_a_', 'a-namespace'],
  ])('derives namespace name from %s: %s', (username, expected) => {
    expect(namespaceName(username)).toBe(expected)
  })

  it('derives a valid namespace name from every username', () => {
    assert(
      property(stringMatching(/^[a-zA-Z0-9\-_.@]{3,30}$/), (text) => {
        const name = namespaceName(Username.parse(text))
        expect(NamespaceName.parse(name)).toBe(name)
      }),
    )
  })
})
