// Routes of nodes, for administrators of the instance.
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type Route, instanceAdminRoute } from '../http/route.ts'
import { describeNodes } from './service.ts'

/** @param db system connection @param self id of the node that answers */
export function nodeRoutes(db: Kysely<Schema>, self: string): Route[] {
  return [instanceAdminRoute(operations.nodes.list, async () => ({ nodes: await describeNodes(db, self) }))]
}
