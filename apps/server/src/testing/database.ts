// A separate database for each test file, cloned from the run's migrated template in a few hundredths of a second.
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { asOwner, type OwnerConnection } from '../db/owner-session.ts'
import { onDatabase } from './postgres-server.ts'

export interface TestDatabase {
  readonly database: Database
  /** Connection of the owner; sees no rows of a namespace. */
  readonly owner: OwnerConnection
  /** Closes the pools and drops the database. */
  close(): Promise<void>
}

/**
 * Call it in `beforeAll` and close it in `afterAll`.
 * @param options.poolSize connection limit of each pool
 */
export async function testDatabase(options: { poolSize?: number } = {}): Promise<TestDatabase> {
  const { owner: server, template } = inject('testServer')
  const name = await createDatabase(template)
  const owner = onDatabase(server, name)
  const database = await openDatabase({ owner, poolSize: options.poolSize ?? 4, log: silentLog })
  return {
    database,
    owner,
    async close() {
      await database.close()
      await dropDatabase(name)
    },
  }
}

/** An owner's connection to a new database without any table, for tests of migration and restore. */
export async function emptyDatabase(): Promise<{ owner: OwnerConnection; close(): Promise<void> }> {
  const name = await createDatabase('template0')
  return { owner: onDatabase(inject('testServer').owner, name), close: () => dropDatabase(name) }
}

async function createDatabase(template: string): Promise<string> {
  const { owner, prefix } = inject('testServer')
  const name = `${prefix}${randomBytes(6).toString('hex')}`
  await asOwner(owner, (client) => client.query(`create database ${name} template ${template} strategy file_copy`))
  return name
}

/** A maintenance process of another server may hold the database briefly; its owner may not end it. */
async function dropDatabase(name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const drop = `drop database if exists ${name} with (force)`
      await asOwner(inject('testServer').owner, (client) => client.query(drop))
      return
    } catch (error) {
      const held = error instanceof Error && 'code' in error && error.code === '42501'
      if (!held || attempt === 50) throw error
      await setTimeout(100)
    }
  }
}

/** Runs a transaction again when PostgreSQL has ended it to resolve a deadlock. */
export async function againAfterDeadlock<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '40P01') return run()
    throw error
  }
}
