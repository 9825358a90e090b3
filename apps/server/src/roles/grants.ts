// What the roles of a namespace give to a caller.
import type { Kysely } from 'kysely'
import type { DeviceOrSession } from '../context.ts'
import type { Schema } from '../db/schema.ts'

import { hasDeviceTag, hasSessionTag } from './store.ts'

export { findGrants as grantsOf } from './store.ts'

/** @param system connection of all namespaces */
export function tagCheck(system: Kysely<Schema>): (of: DeviceOrSession, tags: readonly string[]) => Promise<boolean> {
  return ({ tenant, is, uid }, tags) =>
    is === 'device'
      ? hasDeviceTag(system, { tenant, device: uid }, tags)
      : hasSessionTag(system, { tenant, session: uid }, tags)
}
