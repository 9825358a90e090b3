// Routes of announcements.
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type Route, publicRoute } from '../http/route.ts'
import { get, list } from './service.ts'

/** @param db system connection */
export function announcementRoutes(db: Kysely<Schema>): Route[] {
  const { announcements } = operations
  return [
    publicRoute(announcements.list, (_, { query }) => list(db, query)),
    publicRoute(announcements.get, (_, { params }) => get(db, params.uuid)),
  ]
}
