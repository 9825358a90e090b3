// What administrators of the server do to a namespace while its people change it: each waits for the other, and neither
// fails because of the other.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { administration, members, namespaces } = operations
const TIMES = 12
let server: BootedServer
let admin: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  admin = await server.setUpAccount()
})
afterAll(() => server.close())

/** A namespace with a member who is to be its owner. */
async function shared(name: string): Promise<{ owner: Person; heir: Person }> {
  const owner = await server.addPerson(`${name}-owner`)
  const heir = await server.addPerson(`${name}-heir`)
  await server.addMember(owner.tenant, heir.id, 'administrator')
  return { owner, heir }
}

const handOver = ({ owner, heir }: { owner: Person; heir: Person }) =>
  admin.client.call(administration.handOver, { params: { namespace: owner.tenant }, body: { user: heir.id } })

describe('a hand-over', () => {
  it('and the deletion of the namespace leave one or the other, many times', async () => {
    for (let nth = 0; nth < TIMES; nth += 1) {
      const both = await shared(`gone-${nth}`)
      const { owner } = both
      const [given, removed] = await Promise.all([
        outcome(handOver(both)),
        outcome(owner.client.call(namespaces.remove, { params: { tenant: owner.tenant } })),
      ])
      expect(['200', '404 NOT_FOUND', '404 NOT_FOUND user']).toContain(given)
      expect(['200', '403 FORBIDDEN']).toContain(removed)
    }
  }, 120_000)

  it('and the removal of the member who gets the namespace leave one or the other, many times', async () => {
    for (let nth = 0; nth < TIMES; nth += 1) {
      const both = await shared(`left-${nth}`)
      const { owner, heir } = both
      // The removal forgets which namespace the person signed in to last.
      await heir.client.call(operations.auth.switchNamespace, { params: { tenant: owner.tenant } })
      const [given, removed] = await Promise.all([
        outcome(handOver(both)),
        outcome(owner.client.call(members.remove, { params: { tenant: owner.tenant, uid: heir.id } })),
      ])
      expect([
        ['200', '403 ROLE_TOO_HIGH'],
        ['404 NOT_FOUND user', '200'],
      ]).toContainEqual([given, removed])
    }
  }, 120_000)
})
