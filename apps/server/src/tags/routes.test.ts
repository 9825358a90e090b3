// Tags over HTTP: one name across the devices, keys and rules of a namespace.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshKeyData } from '../testing/samples.ts'
import { type BootedServer, type Person, type RegisteredDevice, bootServer, outcome } from '../testing/boot.ts'

const { tags, devices, publicKeys, firewall } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

/** A namespace with a device, a key and a rule that have the tags. */
async function tagged(...names: string[]): Promise<{ person: Person; device: RegisteredDevice }> {
  const person = await server.addPerson(`p${randomUUID().slice(0, 8)}`)
  const device = await server.acceptedDevice(person)
  await person.client.call(devices.setTags, { params: { uid: device.uid }, body: { tags: names } })
  const filter = { tags: names }
  const key = { data: freshKeyData(), name: 'k', username: '.*', filter }
  await person.client.call(publicKeys.create, { body: key })
  const rule = { action: 'deny' as const, active: true, priority: 1, source_ip: '.*', username: '.*', filter }
  await person.client.call(firewall.create, { body: rule })
  return { person, device }
}

/** The tags of device, key and rule. */
async function everywhere({ person, device }: { person: Person; device: RegisteredDevice }): Promise<unknown[]> {
  const { client } = person
  return [
    (await client.call(devices.get, { params: { uid: device.uid } })).body.tags,
    ...(await client.call(publicKeys.list, {})).body.map((key) => key.filter.tags),
    ...(await client.call(firewall.list, {})).body.map((rule) => rule.filter.tags),
  ]
}

it('lists each tag once, tags of devices first', async () => {
  const { person, device } = await tagged('one', 'two')
  await person.client.call(devices.setTags, { params: { uid: device.uid }, body: { tags: ['zed'] } })
  const { body, total } = await person.client.call(tags.list, {})
  expect([body, total]).toEqual([['zed', 'one', 'two'], 3])
})

it('renames a tag on devices, keys and rules of this namespace only', async () => {
  const [mine, theirs] = [await tagged('one', 'two'), await tagged('one', 'two')]
  await mine.person.client.call(tags.rename, { params: { tag: 'one' }, body: { tag: 'new' } })
  expect(await everywhere(mine)).toEqual([
    ['new', 'two'],
    ['new', 'two'],
    ['new', 'two'],
  ])
  expect(await everywhere(theirs)).toEqual([
    ['one', 'two'],
    ['one', 'two'],
    ['one', 'two'],
  ])
})

it('rejects renaming an unused tag or to a used or invalid name', async () => {
  const { person } = await tagged('one', 'two')
  const rename = (tag: string, to: string) =>
    outcome(person.client.call(tags.rename, { params: { tag }, body: { tag: to } }))
  expect(await rename('one', 'two')).toBe('409 CONFLICT tag')
  expect(await rename('none', 'three')).toBe('404 NOT_FOUND')
  expect(await rename('one', 'no')).toBe('400 INVALID_INPUT tag')
  expect(await rename('one', 'a b c')).toBe('400 INVALID_INPUT tag')
})

it('removes a tag everywhere and deletes keys and rules without another tag', async () => {
  const mine = await tagged('one', 'two')
  const remove = (tag: string) => outcome(mine.person.client.call(tags.remove, { params: { tag } }))
  expect(await remove('one')).toBe('200')
  expect(await everywhere(mine)).toEqual([['two'], ['two'], ['two']])
  expect(await remove('one')).toBe('404 NOT_FOUND')
  expect(await remove('two')).toBe('200')
  expect(await everywhere(mine)).toEqual([[]])
})
