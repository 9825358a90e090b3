// The shares of namespaces in the pool that the product uses.
import { randomUUID } from 'node:crypto'
import { TenantId } from '@bowline/contract/schemas/common'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { testDatabase } from '../../testing/database.ts'

/** Three of them are never a single namespace's. */
const CONNECTIONS = 5
const TRANSACTIONS = 10

it('answers other namespaces while one has more long transactions than the pool has connections', async () => {
  const test = await testDatabase({ poolSize: CONNECTIONS })
  const busy = test.database.forTenant(TenantId.parse(randomUUID()))
  const other = test.database.forTenant(TenantId.parse(randomUUID()))
  const finish = Promise.withResolvers<undefined>()
  const begun = Promise.withResolvers<undefined>()
  let running = 0
  const transactions = Array.from({ length: TRANSACTIONS }, () =>
    busy.transaction().execute(async (db) => {
      const { rows } = await sql`select 1 as one`.execute(db)
      running += 1
      if (running === CONNECTIONS - 3) begun.resolve(undefined)
      await finish.promise
      return rows
    }),
  )
  await begun.promise
  const others = await Promise.all(Array.from({ length: 20 }, () => sql`select 2 as two`.execute(other)))
  expect([others.length, running]).toEqual([20, CONNECTIONS - 3])
  finish.resolve(undefined)
  expect(await Promise.all(transactions)).toEqual(transactions.map(() => [{ one: 1 }]))
  await test.close()
})
