// Addresses that people set where the server sends no mail, and what others would give to whoever has them.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'
import { vouchForAddress } from '../users/address.ts'

let server: BootedServer
let owner: Person
beforeAll(async () => {
  server = await bootServer()
  owner = await server.setUpAccount()
})
afterAll(() => server.close())

it('makes nobody a member by an address without a proof before the operator has confirmed it', async () => {
  const { members, namespaces, users } = operations
  const eve = await server.addPerson('eve')
  const { tenant } = owner
  const email = 'chief@example.com'
  const body = { email: 'Chief@Example.com', role: 'administrator' } as const
  const add = () => outcome(owner.client.call(members.add, { params: { tenant }, body }))
  const invite = () => outcome(owner.client.call(members.invite, { params: { tenant }, body }))
  const accept = () => outcome(eve.client.call(members.acceptInvite, { params: { tenant }, body: {} }))
  const memberIds = async () => {
    const { body: namespace } = await owner.client.call(namespaces.get, { params: { tenant } })
    return namespace.members.map(({ id }) => id)
  }
  await eve.client.call(users.update, { body: { email, current_password: PASSWORD } })
  expect([await add(), await invite()]).toEqual(Array(2).fill('409 ADDRESS_UNPROVEN email'))
  expect(await memberIds()).toEqual([owner.id])

  // An invitation of a time when the address was proven.
  const system = server.database.system()
  expect(await vouchForAddress(system, 'eve', 'other@example.com')).toBeUndefined()
  expect(await vouchForAddress(system, 'eve', undefined)).toBe(email)
  expect(await invite()).toBe('200')
  const unproven = (email_unproven: boolean) =>
    system.updateTable('users').set({ email_unproven }).where('id', '=', eve.id).execute()
  await unproven(true)
  expect(await accept()).toBe('409 ADDRESS_UNPROVEN')
  await unproven(false)
  expect(await accept()).toBe('200')
  expect((await memberIds()).toSorted()).toEqual([owner.id, eve.id].toSorted())
})
