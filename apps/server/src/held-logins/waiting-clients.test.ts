// Clients that wait for one approval, on two servers of an installation, and what may wait of each namespace.
import { systemClock } from '@bowline/base/clock'
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { TestClient } from '@bowline/ssh/testing/test-client'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { BootedServer, Person } from '../testing/boot.ts'
import { fakeDevice } from '../testing/gateway.ts'
import { bootNodes } from '../testing/nodes.ts'
import { OPENSSH, answerOf, approve, askForFactor, heldLogins, ownKey, signing, theHeldLogin } from './testing.ts'
import { createWaitingLogins } from './waiting.ts'

let server: BootedServer
let other: BootedServer
let owner: Person
let login: string
let number = 0
beforeAll(async () => {
  const [first, second] = await bootNodes(2, { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' })
  if (!first || !second) throw new Error('there are no two nodes')
  server = first
  other = second
  await server.setUpAccount()
})
afterAll(async () => {
  await other.close()
  await server.close()
})
beforeEach(async () => {
  owner = await server.addPerson(`waiter-${(number += 1)}`)
  login = (await fakeDevice(server, owner)).login('root')
  await askForFactor(owner)
})

describe('an approval that several clients wait for', () => {
  const waiters = async (): Promise<number | undefined> =>
    (
      await server.database
        .system()
        .selectFrom('held_logins')
        .select('waiting')
        .where('tenant_id', '=', owner.tenant)
        .executeTakeFirst()
    )?.waiting
  const leave = (client: TestClient): void => void client.socket.destroy()

  it('outlives the client that asked for it first, on another server', async () => {
    const key = await ownKey(owner)
    const first = await signing(server, login, key, OPENSSH)
    await answerOf(first)
    const second = await signing(other, login, key, OPENSSH)
    await answerOf(second)
    const { code } = await theHeldLogin(owner)
    expect(await waiters()).toBe(2)
    leave(first)
    await until(async () => (await waiters()) === 1)
    await approve(owner, code)
    expect((await answerOf(second)).kind).toBe('success')
    leave(second)
  })

  it('goes with the last client that waits, whichever asked first', async () => {
    const key = await ownKey(owner)
    const clients: TestClient[] = []
    for (const at of [server, other, server]) {
      const client = await signing(at, login, key, OPENSSH)
      await answerOf(client)
      clients.push(client)
    }
    expect(await waiters()).toBe(3)
    for (const [index, client] of clients.entries()) {
      leave(client)
      const left = clients.length - index - 1
      await until(async () => ((await waiters()) ?? 0) === left)
    }
    expect(await heldLogins(owner)).toEqual([])
  })
})

/** Logins that wait in a namespace already. @param person owner of their keys */
async function fill(tenant: TenantId, count: number, person: UserId | null, source = '127.0.0.1'): Promise<void> {
  const filled = await server.registerDevice(tenant)
  await sql`insert into held_logins (id, tenant_id, code, user_id, credential, key_name, source, address, device_uid,
      username, created_at, expires_at)
    select gen_random_uuid(), ${tenant}, translate(lpad((${(number += 1) * 100_000} + n)::text, 8, '0'), '0123456789', 'BCDFGHJKLM'),
      ${person}, sha256(n::text::bytea), 'a key', ${source}, ${source}, ${filled.uid}, 'root', now(), now() + interval '1 minute'
    from generate_series(1, ${count}) as n`.execute(server.database.system())
}

describe('logins that wait', () => {
  it('take nothing from another namespace with the same source', async () => {
    const stranger = await server.addPerson(`stranger-${number}`)
    await fill(stranger.tenant, LIMITS.heldLogin.perSource, null)
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    expect((await answerOf(client)).kind).toBe('banner')
  })

  it('take nothing from their person in another namespace', async () => {
    const stranger = await server.addPerson(`stranger-${number}`)
    await server.addMember(stranger.tenant, owner.id, 'observer')
    await fill(stranger.tenant, LIMITS.heldLogin.perPerson, owner.id)
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    expect((await answerOf(client)).kind).toBe('banner')
  })

  it('are refused beyond the number for a source of their own namespace', async () => {
    await fill(owner.tenant, LIMITS.heldLogin.perSource, null)
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    expect((await answerOf(client)).kind).toBe('disconnect')
  })

  it('make room where one namespace fills the server, and that one gets no more', async () => {
    const crowd = await server.addPerson(`crowd-${number}`)
    await fill(crowd.tenant, LIMITS.heldLogin.total, null, '192.0.2.1')
    const left = async () => {
      const query = server.database.system().selectFrom('held_logins').where('tenant_id', '=', crowd.tenant)
      return (await query.select(({ fn }) => fn.countAll<number>().as('rows')).executeTakeFirstOrThrow()).rows
    }
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    expect((await answerOf(client)).kind).toBe('banner')
    expect(await left()).toBe(LIMITS.heldLogin.total * 0.99)
    await askForFactor(crowd)
    const crowded = (await fakeDevice(server, crowd)).login('root')
    const refused = await signing(server, crowded, await ownKey(crowd), OPENSSH)
    expect((await answerOf(refused)).kind).toBe('disconnect')
  })
})

describe('connections that wait at one server', () => {
  const most = { perSource: 2, perNamespace: 3, perProcess: 4 }
  /** A login that nobody decides. */
  let id: string
  beforeEach(async () => {
    await fill(owner.tenant, 1, null)
    const row = server.database.system().selectFrom('held_logins').select('id').where('tenant_id', '=', owner.tenant)
    id = (await row.executeTakeFirstOrThrow()).id
  })
  const waitingFor = (namespace: string, source: string) => ({
    id,
    expiresAt: Date.now() + 60_000,
    namespace,
    source,
  })
  const waitingLogins = () => createWaitingLogins({ clock: systemClock, db: server.database.system() }, most)

  it.each([
    { what: 'a source', taken: ['a', 'a'] as const, next: ['one', 'a'] as const },
    { what: 'the namespace', taken: ['a', 'b', 'c'] as const, next: ['one', 'd'] as const },
  ])('are limited by namespace: $what', async ({ taken, next: [namespace, source] }) => {
    const waiting = waitingLogins()
    const left = new AbortController()
    for (const from of taken) void waiting.wait(waitingFor('one', from), left.signal)
    expect(await waiting.wait(waitingFor(namespace, source), left.signal)).toBe('too-many')
    left.abort()
  })

  it('make room for another namespace where one has the most, and refuse that one', async () => {
    const waiting = waitingLogins()
    const left = new AbortController()
    const ends: string[] = []
    const wait = (namespace: string, source: string): Promise<unknown> =>
      waiting.wait(waitingFor(namespace, source), left.signal).then((end) => ends.push(`${namespace} ${source} ${end}`))
    for (const source of ['a', 'b', 'c']) void wait('crowd', source)
    void wait('other', 'a')
    void wait('third', 'a')
    await until(() => ends.includes('crowd a gone'))
    await wait('crowd', 'd')
    expect(ends).toEqual(['crowd a gone', 'crowd d too-many'])
    left.abort()
  })
})
