import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { createSharedTickets } from './shared-tickets.ts'

const TARGET = { device: 'thermostat', password: 'do-not-store-me' }
let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase()
})
afterAll(() => test.close())

const tickets = (kind: string, limits = { total: 100, perSource: 100 }) =>
  createSharedTickets<typeof TARGET>(test.database.system(), kind, limits)

describe('tickets that several nodes share', () => {
  it('are redeemed once, at whichever node', async () => {
    const [issuing, other] = [tickets('terminal'), tickets('terminal')]
    const ticket = await issuing.issue(TARGET, 'a')
    const taken = await Promise.all([issuing, other, issuing, other].map(async (node) => node.take(ticket)))
    expect(taken.filter((target) => target !== undefined)).toEqual([TARGET])
    expect(await issuing.take(ticket)).toBeUndefined()
  })

  it('are of one kind only, and expire', async () => {
    const ticket = await tickets('terminal').issue(TARGET, 'a')
    expect(await tickets('visit').take(ticket)).toBeUndefined()
    const late = sql<Date>`now() - interval '1 second'`
    await test.database.system().updateTable('terminal_tickets').set({ expires_at: late }).execute()
    expect(await tickets('terminal').take(ticket)).toBeUndefined()
  })

  it('are refused to a source with too many of them, and to everybody at the total', async () => {
    const few = tickets('few', { total: 3, perSource: 2 })
    for (const source of ['a', 'a', 'b']) await few.issue(TARGET, source)
    await expect(few.issue(TARGET, 'a')).rejects.toThrow('Too many')
    await expect(few.issue(TARGET, 'c')).rejects.toThrow('Too many')
  })

  it('show the database nothing of what they stand for', async () => {
    const ticket = await tickets('terminal').issue(TARGET, 'a')
    const rows = await test.database.system().selectFrom('terminal_tickets').selectAll().execute()
    const stored = Buffer.concat(rows.flatMap((row) => [row.sealed, row.ticket_hash, Buffer.from(row.source)]))
    expect(rows.length).toBeGreaterThan(0)
    for (const secret of [TARGET.password, ticket, ticket.slice(0, 20)]) expect(stored.includes(secret)).toBe(false)
  })
})
