// Keys that devices prove themselves with, by which their links are let in.
import { GroupCommit } from '@bowline/base/group-commit'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import { type DeviceKey, type DeviceOfToken, findDeviceKeys } from './store.ts'

/** Keys in one statement. */
const KEYS_BATCH = 500

const keyOf = ({ uid, tenant }: DeviceOfToken): string => `${uid} ${tenant}`

/**
 * @param system system connection: the devices are of many namespaces
 * @returns a function that finds the key of a device that holds a token; undefined when it has been removed. Lookups that
 *   come together are one statement
 */
export function createDeviceKeys(system: Kysely<Schema>): (device: DeviceOfToken) => Promise<DeviceKey | undefined> {
  const lookups = new GroupCommit(
    async (devices: readonly DeviceOfToken[]) => {
      const found = new Map((await findDeviceKeys(system, devices)).map((key) => [keyOf(key), key]))
      return devices.map((device) => found.get(keyOf(device)))
    },
    { most: KEYS_BATCH, keyOf },
  )
  return (device) => lookups.add(device)
}
