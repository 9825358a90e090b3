// Claims and ends of the links of a node: those that come together are written in one statement, so that thousands of
// devices that come or go at once cost a few.
import { GroupCommit } from '@bowline/base/group-commit'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { EndedLink, NewClaim, PresenceBatches } from '../presence.ts'
import { claimLinks, releaseLinks } from './store.ts'

/** Devices in one statement. */
const PRESENCE_BATCH = 500

/** @param system system connection: the devices are of many namespaces */
export function createPresenceBatches(system: Kysely<Schema>, node: string): PresenceBatches {
  const options = { most: PRESENCE_BATCH, keyOf: ({ uid }: { readonly uid: DeviceUid }) => uid }
  const claims = new GroupCommit(async (given: readonly NewClaim[]) => {
    const claimed = await claimLinks(system, node, given)
    return given.map(({ uid }) => claimed.get(uid))
  }, options)
  const ends = new GroupCommit(async (given: readonly EndedLink[]) => {
    const released = await releaseLinks(system, node, given)
    return given.map(({ uid }) => released.has(uid))
  }, options)
  return { claim: (claim) => claims.add(claim), release: (ended) => ends.add(ended) }
}
