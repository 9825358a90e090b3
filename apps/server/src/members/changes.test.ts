// What live listeners hear of members who change together.
import { operations } from '@bowline/contract/operations'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, readUntil } from '../testing/boot.ts'

let server: BootedServer
let owner: Person
beforeAll(async () => {
  server = await bootServer()
  owner = await server.setUpAccount()
})
afterAll(() => server.close())

/** A role of the owner's namespace, which as many new members have. */
async function roleOf(count: number): Promise<string> {
  const body = { name: `role of ${count}`, permissions: ['auditRead' as const] }
  const { id } = (await owner.client.call(operations.roles.create, { body })).body
  const db = server.database.system()
  await sql`insert into users select (jsonb_populate_record(users, jsonb_build_object('id', lpad(${count} || '0' || i, 24, '0'),
      'username', 'u' || ${count} || '-' || i, 'email', 'u' || ${count} || '-' || i || '@example.com'))).*
    from users, generate_series(1, ${count}::int) i where id = ${owner.id}`.execute(db)
  await sql`insert into members (tenant_id, user_id, role, status)
    select ${owner.tenant}::uuid, id, 'observer', 'accepted' from users
      where username like 'u' || ${count} || '-%'`.execute(db)
  await sql`insert into member_roles (tenant_id, user_id, role_id)
    select ${owner.tenant}::uuid, id, ${id}::uuid from users where username like 'u' || ${count} || '-%'`.execute(db)
  return id
}

it.each([
  ['each of a few', 3, 'event: member.changed'],
  ['many as one', 301, 'event: reset'],
])('tells %s', async (_, count, wanted) => {
  const id = await roleOf(count)
  const headers = { authorization: `Bearer ${owner.auth.token}` }
  const stream = await server.fetch('/api/events', { headers })
  const heard = readUntil(stream, wanted)
  await owner.client.call(operations.roles.remove, { params: { id } })
  const text = await heard
  expect(text).toContain(wanted)
  expect(text.includes('event: member.changed')).toBe(count === 3)
})
