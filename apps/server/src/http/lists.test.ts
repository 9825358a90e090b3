// Paging of every list of the contract: any page is clamped or rejected, and the total is that of the list.
import { callPath } from '@bowline/contract/client'
import { pathParameters } from '@bowline/contract/operation'
import { allOperations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type BootedServer, bootServer } from '../testing/boot.ts'
import { type World, paramsOf, populate } from '../testing/http-server.ts'

let server: BootedServer
let world: World
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_EDITION: 'cloud' } })
  world = await populate(server, await server.setUpAccount())
})
afterAll(() => server.close())

const lists = allOperations().filter(({ operation }) => operation.total)
const paged = lists.filter(({ operation }) => operation.query instanceof z.ZodObject && 'page' in operation.query.shape)
type List = (typeof lists)[number]

async function get(
  { operation }: List,
  query: string,
): Promise<{ status: number; total: string | null; body: unknown }> {
  const params = pathParameters(operation.path).length ? paramsOf(operation, world) : {}
  const needed = operation.query instanceof z.ZodObject && 'q' in operation.query.shape ? 'q=word&' : ''
  const response = await server.fetch(`${callPath(operation, { params })}?${needed}${query}`, {
    headers: { authorization: `Bearer ${world.owner.auth.token}` },
  })
  return { status: response.status, total: response.headers.get('x-total-count'), body: await response.json() }
}

describe('lists', () => {
  it('pages every list that can be long', () => {
    const unpaged = lists.filter((list) => !paged.includes(list)).map(({ id }) => id)
    expect(unpaged).toEqual(['tags.list', 'billing.mostUsedDevices'])
  })

  it.each(paged)('returns an empty page with the total beyond the end: $id', async (list) => {
    const first = await get(list, '')
    expect(first.status).toBe(200)
    for (const query of ['page=1000000000', 'page=999999999999999&per_page=100']) {
      expect(await get(list, query)).toEqual({ status: 200, total: first.total, body: [] })
    }
  })

  it.each(paged)('clamps page and per_page: $id', async (list) => {
    const first = await get(list, '')
    for (const query of ['per_page=0', 'per_page=-1', 'page=0', 'page=-7']) {
      expect(await get(list, query)).toEqual(first)
    }
    const most = await get(list, 'per_page=100')
    for (const query of ['per_page=101', 'per_page=100000']) expect(await get(list, query)).toEqual(most)
  })

  it.each(paged)('rejects a page or per_page that is no number, by name: $id', async (list) => {
    for (const [name, value] of [
      ['page', 'x'],
      ['page', 'NaN'],
      ['page', '1e9'],
      ['page', '9'.repeat(40)],
      ['per_page', '1.5'],
      ['per_page', '%00'],
    ] as const) {
      expect(await get(list, `${name}=${value}`)).toMatchObject({ status: 400, body: { fields: [name] } })
    }
  })

  const sorted = paged.filter(
    ({ operation }) => operation.query instanceof z.ZodObject && 'sort_by' in operation.query.shape,
  )
  it.each(sorted)('rejects unknown sort_by fields: $id', async (list) => {
    for (const field of ['password_hash', 'name;drop table devices', 'name desc', '__proto__', '1']) {
      const query = `sort_by=${encodeURIComponent(field)}`
      expect(await get(list, query)).toMatchObject({ status: 400, body: { fields: ['sort_by'] } })
    }
  })
})
