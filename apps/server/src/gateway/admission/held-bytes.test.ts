import { TenantId } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import { limitHeldBytes } from './held-bytes.ts'

const tenantOf = (digit: string): TenantId => TenantId.parse(`${digit.repeat(8)}-1111-4111-8111-111111111111`)

/** Connections by name: namespace and bytes held. */
const holding = (held: Readonly<Record<string, readonly [tenant: string, bytes: number]>>) =>
  Object.entries(held).map(
    ([name, [tenant, heldBytes]]) => [{ name, heldBytes }, { tenant: tenantOf(tenant) }] as const,
  )

interface Named {
  readonly name: string
  readonly heldBytes: number
}

describe('limit of held bytes', () => {
  it('ends nobody within the limit', () => {
    expect(limitHeldBytes(10).excess(holding({ one: ['1', 6], other: ['2', 4] }))).toEqual([])
  })

  it('ends the largest of the namespace that holds the most, until the rest fits', () => {
    const many = holding({ slow: ['1', 5], a: ['2', 2], b: ['2', 4], c: ['2', 3], d: ['2', 1] })
    expect(
      limitHeldBytes<Named>(8)
        .excess(many)
        .map(({ name }) => name),
    ).toEqual(['b', 'c'])
  })

  it('counts connections without a namespace together', () => {
    const unknown = [1, 2, 3].map((heldBytes) => [{ heldBytes }, { tenant: undefined }] as const)
    const ended = limitHeldBytes<{ heldBytes: number }>(7).excess([...unknown, ...holding({ slow: ['1', 4] })])
    expect(ended).toEqual([{ heldBytes: 3 }])
  })

  it('waits for those that it has chosen before, instead of choosing others', () => {
    const limit = limitHeldBytes<Named>(5)
    const both = holding({ large: ['1', 4], small: ['1', 3] })
    expect(limit.excess(both).map(({ name }) => name)).toEqual(['large'])
    expect(limit.excess(both)).toEqual([])
  })
})
