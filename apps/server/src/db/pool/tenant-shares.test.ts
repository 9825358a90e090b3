import { TenantId } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import { createTenantShares } from './tenant-shares.ts'

const ours = TenantId.parse('11111111-1111-4111-8111-111111111111')
const theirs = TenantId.parse('22222222-2222-4222-8222-222222222222')

describe('connection share of a namespace', () => {
  it('limits the connections of one namespace without delaying another', async () => {
    const shares = createTenantShares(2)
    const [first] = await Promise.all([shares.take(ours), shares.take(ours)])
    let isServed = false
    const third = shares.take(ours).then((release) => {
      isServed = true
      return release
    })
    await shares.take(theirs)
    expect(isServed).toBe(false)
    first()
    first()
    await third
    expect(isServed).toBe(true)
  })

  it('refuses a connection when too many calls of the namespace are waiting', async () => {
    const shares = createTenantShares(1)
    await shares.take(ours)
    for (let i = 0; i < 500; i += 1) void shares.take(ours)
    await expect(shares.take(ours)).rejects.toMatchObject({ code: '53300' })
  })
})
