// What a tag rule would do, over HTTP, before it is saved.
import type { Input } from '@bowline/contract/operation'
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, bootServer, outcome } from '../testing/boot.ts'

const { devices, tagRules } = operations
type Trial = Omit<Input<typeof tagRules.tryChange>['body'], 'active'> & { active?: boolean }

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
})
afterAll(() => server.close())

it('says before it is saved which devices match, get its tag and lose it', async () => {
  const owner = await server.addPerson('trier')
  const attempt = async (body: Trial) => (await owner.client.call(tagRules.tryChange, { body })).body
  for (const name of ['try-1', 'try-2', 'try-3', 'other-1']) await server.acceptedDevice(owner, { hostname: name })
  await server.registerDevice(owner.tenant, { hostname: 'try-4' })
  const { uid } = await server.acceptedDevice(owner, { hostname: 'try-5' })
  const put = (own: string[]) => owner.client.call(devices.setTags, { params: { uid }, body: { tags: own } })
  await put(['one', 'two', 'three'])
  const settled = () => until(async () => (await owner.client.call(tagRules.list, {})).body.waiting === 0)
  const names = ['try-1', 'try-2', 'try-3', 'try-4']
  expect(await attempt({ query: 'name:try-' })).toEqual({ matching: 5, names, tagged: 0, untagged: 0 })
  // One has no room for it.
  expect(await attempt({ tag: 'kiosk', query: 'name:try-' })).toEqual({ matching: 5, names, tagged: 4, untagged: 0 })
  expect(await attempt({ tag: 'kiosk', query: 'name:try-', active: false })).toMatchObject({ matching: 5, tagged: 0 })
  const { id } = (await owner.client.call(tagRules.create, { body: { tag: 'kiosk', query: 'name:try-' } })).body
  await put(['kiosk'])
  await settled()
  // That of a person stays.
  const narrowed = { id, tag: 'kiosk', query: 'name:try-1' }
  expect(await attempt(narrowed)).toEqual({ matching: 1, names: ['try-1'], tagged: 0, untagged: 3 })
  const renamed = { id, tag: 'stand', query: 'name:-1' }
  expect(await attempt(renamed)).toEqual({ matching: 2, names: ['other-1', 'try-1'], tagged: 2, untagged: 4 })
  await owner.client.call(tagRules.create, { body: { tag: 'kiosk', query: 'name:try-2' } })
  await settled()
  expect(await attempt(narrowed)).toMatchObject({ tagged: 0, untagged: 2 })
  const gone = { ...narrowed, id: '7f9f9f5c-4c0e-4b5e-8f0a-0d9b6a1c2d3e' }
  expect(await outcome(attempt(gone))).toBe('404 NOT_FOUND')
  expect((await owner.client.call(tagRules.list, {})).body.rules).toHaveLength(2)
})
