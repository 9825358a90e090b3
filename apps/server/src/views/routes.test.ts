// Saved views and favourites over HTTP: whose they are, and who may change those of the namespace.
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { auth, views, devices } = operations
let server: BootedServer
let owner: Person
beforeAll(async () => {
  server = await bootServer()
  owner = await server.setUpAccount()
})
afterAll(() => server.close())

/** An observer in the owner's namespace, signed in to it. */
async function observerOf(name: string): Promise<Person['client']> {
  const person = await server.addPerson(name)
  await server.addMember(owner.tenant, person.id, 'observer')
  const { body } = await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
  return server.client(body.token)
}

const namesOf = async (client: Person['client']): Promise<string[]> =>
  (await client.call(views.list, { query: {} })).body.map(({ name }) => name)
const view = { query: { tag: ['kiosk'], q: 'berlin', cols: ['name', 'tags'] } }

describe('saved views', () => {
  it('shows a view of one’s own to nobody else, and one of the namespace to everybody in it', async () => {
    const observer = await observerOf('looker')
    await owner.client.call(views.create, { body: { name: 'mine', ...view } })
    const { body } = await owner.client.call(views.create, { body: { name: 'Kiosks', shared: true, ...view } })
    expect(body).toMatchObject({ name: 'Kiosks', shared: true, list: 'devices', ...view })
    expect(await namesOf(owner.client)).toEqual(['Kiosks', 'mine'])
    expect(await namesOf(observer)).toEqual(['Kiosks'])
    expect(await namesOf((await server.addPerson('stranger')).client)).toEqual([])
  })

  it('lets observers save their own views and change none of the namespace', async () => {
    const observer = await observerOf('watcher')
    const own = await observer.call(views.create, { body: { name: 'own', ...view } })
    await observer.call(views.update, { params: { id: own.body.id }, body: { name: 'renamed' } })
    const shared = await owner.client.call(views.create, { body: { name: 'Floors', shared: true, ...view } })
    const params = { id: shared.body.id }
    const attempts = [
      () => observer.call(views.create, { body: { name: 'x', shared: true, ...view } }),
      () => observer.call(views.update, { params, body: { name: 'y' } }),
      () => observer.call(views.remove, { params }),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ status: 403 })
    await expect(owner.client.call(views.remove, { params: { id: own.body.id } })).rejects.toMatchObject({
      status: 404,
    })
    expect(await namesOf(observer)).toContain('renamed')
  })

  it('gives each name once to an owner, and keeps the number of views bounded', async () => {
    const person = await server.addPerson('collector')
    const save = (name: string) => person.client.call(views.create, { body: { name, ...view } })
    await save('0')
    await expect(save('0')).rejects.toMatchObject({ status: 409 })
    for (let i = 1; i < LIMITS.views.perOwner; i += 1) await save(String(i))
    await expect(save('one more')).rejects.toMatchObject({ status: 403, code: 'NAMESPACE_FULL' })
  })

  it('keeps limit and names also where many are saved or renamed at once', async () => {
    const person = await server.addPerson('hasty')
    const save = (name: string) => person.client.call(views.create, { body: { name, ...view } })
    const count = LIMITS.views.perOwner + 20
    await Promise.allSettled(Array.from({ length: count }, (_, i) => save(String(i))))
    const { body } = await person.client.call(views.list, { query: {} })
    expect(body).toHaveLength(LIMITS.views.perOwner)
    const renamed = body
      .slice(0, 8)
      .map(({ id }) => outcome(person.client.call(views.update, { params: { id }, body: { name: 'same' } })))
    expect((await Promise.all(renamed)).toSorted()).toEqual(['200', ...Array<string>(7).fill('409 CONFLICT name')])
  })

  it('refuses a query that is too long', async () => {
    const query = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}`, 'x'.repeat(500)]))
    await expect(owner.client.call(views.create, { body: { name: 'long', query } })).rejects.toMatchObject({
      status: 400,
    })
  })
})

describe('favourites', () => {
  it('filters the list by the favourites of the one who asks, and forgets removed devices', async () => {
    const person = await server.addPerson('fan')
    const [first, second] = [await server.acceptedDevice(person), await server.acceptedDevice(person)]
    await person.client.call(views.addFavorite, { params: { uid: second.uid } })
    await person.client.call(views.addFavorite, { params: { uid: second.uid } })
    const filter = Buffer.from(
      JSON.stringify([{ type: 'property', params: { name: 'favorite', operator: 'bool', value: true } }]),
    ).toString('base64')
    const listed = async () =>
      (await person.client.call(devices.list, { query: { filter } })).body.map(({ uid }) => uid)
    expect(await listed()).toEqual([second.uid])
    expect((await person.client.call(views.favorites, {})).body).toEqual([second.uid])
    await person.client.call(views.removeFavorite, { params: { uid: second.uid } })
    expect(await listed()).toEqual([])
    await person.client.call(views.addFavorite, { params: { uid: first.uid } })
    await person.client.call(devices.remove, { params: { uid: first.uid } })
    expect((await person.client.call(views.favorites, {})).body).toEqual([])
  })

  it('hides devices of other namespaces', async () => {
    const device = await server.acceptedDevice(owner)
    const stranger = await server.addPerson('outsider')
    await expect(stranger.client.call(views.addFavorite, { params: { uid: device.uid } })).rejects.toMatchObject({
      status: 404,
    })
  })
})
