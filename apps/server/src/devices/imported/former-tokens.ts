// Tokens of the server that a device came from. Existing agents ask for a token when they start, and never again while the
// tunnel that it is for is refused; by key they let people in with the first one for as long as they run. So a device that was
// taken over comes back only if that token is taken for what it is: a claim which device this is. It proves nothing, and
// neither does a token of ours for such an agent (gateway/bridges/tunnels): whoever knows its key and MAC address gets one.
import { GroupCommit } from '@bowline/base/group-commit'
import { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { decodeJwt } from 'jose'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { DeviceActor } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { findImported } from './store.ts'

/** Devices in one statement: all of them come back at once. */
const BATCH = 500

const FormerClaims = z.object({ claims: z.literal('device'), uid: DeviceUid, tenant: TenantId })

/** What a token of another server says; nothing checks its signature. Undefined for anything else. */
function claimsOf(token: string): z.infer<typeof FormerClaims> | undefined {
  try {
    return FormerClaims.safeParse(decodeJwt(token)).data
  } catch {
    return undefined
  }
}

/**
 * The device that a token of another server names; undefined unless it came from another server, with that namespace's id, and
 * has an existing agent.
 */
export type FormerTokens = (token: string) => Promise<Omit<DeviceActor, 'kind'> | undefined>

/** @param system system connection: the devices are of many namespaces */
export function createFormerTokens(system: Kysely<Schema>): FormerTokens {
  const lookups = new GroupCommit(
    async (uids: readonly DeviceUid[]) => {
      const found = new Map((await findImported(system, uids)).map((device) => [device.uid, device]))
      return uids.map((uid) => found.get(uid))
    },
    { most: BATCH, keyOf: (uid) => uid },
  )
  return async (token) => {
    const claims = claimsOf(token)
    const device = claims && (await lookups.add(claims.uid))
    return device && device.tenant === claims.tenant ? { ...device, proven: false } : undefined
  }
}
