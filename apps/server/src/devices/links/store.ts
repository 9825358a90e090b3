// SQL of links, for many devices in one statement.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { EndedLink, LinkClaim, NewClaim } from '../presence.ts'

export interface DeviceOfToken {
  readonly uid: DeviceUid
  readonly tenant: TenantId
}

/** Public key of a device, and its agent's version. */
export interface DeviceKey {
  /** PEM, as it was registered. */
  readonly publicKey: string
  readonly name: string
  /** Version of its agent; '' where it has told none. */
  readonly version: string
}

/**
 * Assigns the links of many devices to a node in one statement, as `claimLink` does for one. Rows that another
 * transaction has locked are left out, so that one of them delays no other; so are those of deleted namespaces, which
 * the system's connection finds in `devices` but not in `namespaces`.
 * @param system system connection
 * @param claims of different devices
 * @returns the claims by device, without those that are gone or left out
 */
export async function claimLinks(
  system: Kysely<Schema>,
  node: string,
  claims: readonly NewClaim[],
): Promise<Map<DeviceUid, LinkClaim>> {
  const { rows } = await sql<LinkClaim & { uid: DeviceUid }>`
    with before as (
        select devices.uid, claim.remote, case when disconnected_at is null then link_node else '' end as held_by
          from unnest(${claims.map(({ uid }) => uid)}::text[], ${claims.map(({ tenant }) => tenant)}::uuid[],
              ${claims.map(({ remote }) => remote)}::text[]) claim(uid, tenant, remote)
            join devices on devices.uid = claim.uid and devices.tenant_id = claim.tenant
            join namespaces on namespaces.tenant_id = claim.tenant
          for update of devices skip locked)
    update devices set disconnected_at = null, disconnect_cause = '', last_seen = now(),
        link_epoch = devices.link_epoch + 1, link_node = ${node}, remote_addr = before.remote
      from before where devices.uid = before.uid
      returning devices.uid, devices.link_epoch as epoch, before.held_by as "heldBy"`.execute(system)
  return new Map(rows.map(({ uid, epoch, heldBy }) => [uid, { epoch, heldBy }]))
}

/**
 * Marks devices offline in one statement, as `releaseLink` does with one. Rows that another transaction has locked are
 * left out.
 * @param system system connection
 * @param ended links of different devices
 * @returns the devices that were marked
 */
export async function releaseLinks(
  system: Kysely<Schema>,
  node: string,
  ended: readonly EndedLink[],
): Promise<ReadonlySet<DeviceUid>> {
  const { rows } = await sql<{ uid: DeviceUid }>`
    with held as (
        select devices.uid, ended.cause
          from unnest(${ended.map(({ uid }) => uid)}::text[], ${ended.map(({ tenant }) => tenant)}::uuid[],
              ${ended.map(({ epoch }) => epoch)}::bigint[], ${ended.map(({ cause }) => cause)}::text[])
              ended(uid, tenant, epoch, cause)
            join devices on devices.uid = ended.uid and devices.tenant_id = ended.tenant
              and devices.link_epoch = ended.epoch
          where devices.link_node = ${node}
          for update of devices skip locked)
    update devices set disconnected_at = now(), disconnect_cause = held.cause, last_seen = now(), link_node = ''
      from held where devices.uid = held.uid
      returning devices.uid`.execute(system)
  return new Set(rows.map(({ uid }) => uid))
}

/**
 * Keys of devices; those that are gone, or whose namespace is deleted, are omitted.
 * @param system system connection
 */
export async function findDeviceKeys(
  system: Kysely<Schema>,
  devices: readonly DeviceOfToken[],
): Promise<(DeviceKey & DeviceOfToken)[]> {
  const { rows } = await sql<DeviceKey & DeviceOfToken>`
    select devices.uid, devices.tenant_id as tenant, devices.public_key as "publicKey", devices.name,
        case jsonb_typeof(info -> 'version') when 'string' then info ->> 'version' else '' end as version
      from unnest(${devices.map(({ uid }) => uid)}::text[], ${devices.map(({ tenant }) => tenant)}::uuid[]) one(uid, tenant)
        join devices on devices.uid = one.uid and devices.tenant_id = one.tenant
        join namespaces on namespaces.tenant_id = one.tenant`.execute(system)
  return rows
}
