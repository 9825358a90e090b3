// SQL of presence: resolution of an SSHID, and the node that holds a device's link.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { DeviceStatus } from '@bowline/contract/schemas/device'
import { type Kysely, sql } from 'kysely'
import { accessRequestHours, factorHours } from '../db/namespace-settings.ts'
import type { Schema } from '../db/schema.ts'

/** Forwarding policy; `unrecorded`: denied while recording is required, because forwarded data is not recorded. */
export type ForwardingPolicy = 'allowed' | 'off' | 'unrecorded'

/** The node that holds a device's link, by the claim with this epoch. */
export interface LinkHolder {
  readonly node: string
  readonly epoch: number
}

/** Properties of a login target that the gateway needs. System connection. */
export interface LoginTarget {
  readonly uid: DeviceUid
  readonly tenant: TenantId
  readonly name: string
  readonly namespace: string
  readonly status: DeviceStatus
  readonly tags: readonly string[]
  readonly announcement: string
  /** True if running sessions end when a policy change no longer allows them. */
  readonly endsDisallowed: boolean
  /** Policy for forwarded ports, sockets, agents and X11. */
  readonly forwarding: ForwardingPolicy
  /** True if members may ask to join the web terminals of others. */
  readonly joining: boolean
  /** True if members may ask for access that the firewall denies them. */
  readonly takesRequests: boolean
  /** Recording policy: `required` ends sessions when recording fails, `best-effort` lets them continue. */
  readonly recording: 'off' | 'best-effort' | 'required'
  /** Hours for which a second factor is not asked again; null: the namespace asks for none. */
  readonly factorHours: number | null
  /** True if keys that belong to no person need no second factor. */
  readonly servicesNeedNoFactor: boolean
  /** True if the namespace has more devices than it may without a subscription, and its grace period is over. */
  readonly lapsed: boolean
  /** True while administrators of the instance have disabled the namespace. */
  readonly disabled: boolean
  /** Node that holds the link; '' while none does. */
  readonly node: string
  /** Of the newest link. */
  readonly epoch: number
}

/**
 * Reads device, namespace, status and settings in one query. System connection.
 * @param now time by which grace periods end; undefined where devices have no price
 */
export function findLoginTarget(
  db: Kysely<Schema>,
  target: { uid: DeviceUid } | { namespace: string; device: string },
  now: Date | undefined,
): Promise<LoginTarget | undefined> {
  const select = db
    .selectFrom('devices')
    .innerJoin('namespaces', 'namespaces.tenant_id', 'devices.tenant_id')
    .select([
      'devices.uid',
      'devices.tenant_id as tenant',
      'devices.name',
      'namespaces.name as namespace',
      'devices.status',
      'devices.tags',
      'namespaces.connection_announcement as announcement',
      sql<boolean>`coalesce((namespaces.settings ->> 'joining')::boolean, true)`.as('joining'),
      sql<boolean>`${accessRequestHours} is not null`.as('takesRequests'),
      sql<boolean>`coalesce((namespaces.settings ->> 'end_disallowed_sessions')::boolean, true)`.as('endsDisallowed'),
      sql<ForwardingPolicy>`case
        when not coalesce((namespaces.settings ->> 'forwarding')::boolean, true) then 'off'
        when namespaces.session_record and namespaces.settings ->> 'recording_policy' = 'required'
          and not coalesce((namespaces.settings ->> 'forwarding_unrecorded')::boolean, false) then 'unrecorded'
        else 'allowed' end`.as('forwarding'),
      sql<LoginTarget['recording']>`case when namespaces.session_record
        then coalesce(namespaces.settings ->> 'recording_policy', 'best-effort') else 'off' end`.as('recording'),
      factorHours.as('factorHours'),
      sql<string>`case when devices.disconnected_at is null then devices.link_node else '' end`.as('node'),
      'devices.link_epoch as epoch',
      sql<boolean>`coalesce((namespaces.settings ->> 'ssh_second_factor_service_keys')::boolean, false)`.as(
        'servicesNeedNoFactor',
      ),
      sql<boolean>`(namespaces.disabled_at is not null)`.as('disabled'),
      now === undefined ? sql<boolean>`false`.as('lapsed') : lapsedAt(now).as('lapsed'),
    ])
  const one =
    'uid' in target
      ? select.where('devices.uid', '=', target.uid)
      : select
          .where('namespaces.name', '=', target.namespace.toLowerCase())
          .where(sql<string>`lower(devices.name)`, '=', target.device.toLowerCase())
          .where('devices.status', '=', 'accepted')
  return one.executeTakeFirst()
}

/** True if the namespace has more devices than it may without a subscription. @param now by which grace periods end */
export async function findLapsed(db: Kysely<Schema>, tenant: TenantId, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('namespaces')
    .select(lapsedAt(now).as('lapsed'))
    .where('tenant_id', '=', tenant)
    .executeTakeFirst()
  return row?.lapsed === true
}

/** Counts no further than the limit. */
function lapsedAt(now: Date) {
  return sql<boolean>`namespaces.max_devices > 0
    and (select count(*) from (select 1 from devices other where other.tenant_id = namespaces.tenant_id
      and other.status = 'accepted' limit namespaces.max_devices + 1) counted) > namespaces.max_devices
    and not exists (select 1 from billing_accounts
      where billing_accounts.tenant_id = namespaces.tenant_id and billing_accounts.grace_until > ${now})`
}

export interface LinkClaim {
  /** Higher than that of any earlier link. */
  readonly epoch: number
  /** Node that held the device's link until now; '' when none did. */
  readonly heldBy: string
}

/** Assigns the device's link to a node. @returns undefined when the device is gone */
export async function claimLink(
  db: Kysely<Schema>,
  uid: DeviceUid,
  node: string,
  remoteAddress: string,
): Promise<LinkClaim | undefined> {
  return db
    .updateTable('devices')
    .from((from) =>
      from
        .selectFrom('devices')
        .where('uid', '=', uid)
        .select(['uid', sql<string>`case when disconnected_at is null then link_node else '' end`.as('held_by')])
        .forUpdate()
        .as('before'),
    )
    .set({
      disconnected_at: null,
      disconnect_cause: '',
      last_seen: sql<Date>`now()`,
      link_epoch: sql<number>`devices.link_epoch + 1`,
      link_node: node,
      remote_addr: remoteAddress,
    })
    .whereRef('devices.uid', '=', 'before.uid')
    .returning(['devices.link_epoch as epoch', 'before.held_by as heldBy'])
    .executeTakeFirst()
}

/**
 * Marks a device offline unless a newer link exists. After a failover two nodes may hold links with one epoch: a node
 * releases its own.
 * @param cause as `by:reason`
 * @returns true if it was marked
 */
export async function releaseLink(
  db: Kysely<Schema>,
  uid: DeviceUid,
  { node, epoch }: LinkHolder,
  cause: string,
): Promise<boolean> {
  const result = await db
    .updateTable('devices')
    .set({
      disconnected_at: sql<Date>`now()`,
      disconnect_cause: cause,
      last_seen: sql<Date>`now()`,
      link_node: '',
    })
    .where('uid', '=', uid)
    .where('link_node', '=', node)
    .where('link_epoch', '=', epoch)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Marks a device offline, whichever node holds its link. @returns false when no such device exists */
export async function disconnectDevice(db: Kysely<Schema>, uid: DeviceUid): Promise<boolean> {
  const result = await db
    .updateTable('devices')
    .set({ disconnected_at: sql<Date>`now()`, disconnect_cause: '', link_node: '' })
    .where('uid', '=', uid)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/**
 * Marks every device offline whose link a node held that has died, from its last heartbeat on: nobody can say for longer
 * that they were online.
 */
export async function releaseLinksOfNode(db: Kysely<Schema>, node: string): Promise<void> {
  const died = sql<Date>`least(now(), coalesce((select heartbeat_at from nodes where id = ${node}), now()))`
  await db
    .updateTable('devices')
    .set({
      disconnected_at: died,
      disconnect_cause: 'gateway:node-lost',
      last_seen: sql<Date>`greatest(last_seen, ${died})`,
      link_node: '',
    })
    .where('link_node', '=', node)
    .execute()
}

/**
 * State of a claim that the database lacked: written again, left to another live node that the row names, or of a device
 * without a row.
 */
export type LostClaim = 'restored' | 'held-elsewhere' | 'unknown-device'

/**
 * Writes claims that are newer than their rows: those that a standby had not received when it became the primary. Rows
 * that name another live node are left to that node, which releases what it does not hold.
 * @returns devices whose rows were behind or are lacking
 */
export async function restoreClaims(
  db: Kysely<Schema>,
  node: string,
  claims: readonly { readonly uid: DeviceUid; readonly epoch: number }[],
): Promise<{ uid: DeviceUid; state: LostClaim }[]> {
  const { rows } = await sql<{ uid: DeviceUid; state: LostClaim }>`
    with behind as (
        select claim.uid, claim.epoch, devices.uid is null as unknown, link_node in ('', ${node}) or not exists (
            select from nodes where nodes.id = link_node and lost_at is null) as free
          from unnest(${claims.map(({ uid }) => uid)}::text[], ${claims.map(({ epoch }) => epoch)}::bigint[])
            claim(uid, epoch) left join devices using (uid)
          where devices.uid is null or devices.link_epoch < claim.epoch),
      restored as (
        update devices set disconnected_at = null, disconnect_cause = '', last_seen = now(), link_epoch = behind.epoch,
            link_node = ${node}
          from behind where devices.uid = behind.uid and behind.free and devices.link_epoch < behind.epoch
          returning devices.uid)
    select behind.uid, case when unknown then 'unknown-device' when restored.uid is null then 'held-elsewhere'
        else 'restored' end as state
      from behind left join restored using (uid)`.execute(db)
  return rows
}

/** Devices whose link a node holds according to their rows. */
export function findLinksOfNode(
  db: Kysely<Schema>,
  node: string,
): Promise<{ uid: DeviceUid; tenant: TenantId; epoch: number }[]> {
  return db
    .selectFrom('devices')
    .select(['uid', 'tenant_id as tenant', 'link_epoch as epoch'])
    .where('link_node', '=', node)
    .execute()
}

/** The node that holds a device's link; undefined while no node does. */
export function findHolder(
  db: Kysely<Schema>,
  uid: DeviceUid,
): Promise<(LinkHolder & { tenant: TenantId }) | undefined> {
  return db
    .selectFrom('devices')
    .select(['tenant_id as tenant', 'link_node as node', 'link_epoch as epoch'])
    .where('uid', '=', uid)
    .where('disconnected_at', 'is', null)
    .where('link_node', '<>', '')
    .executeTakeFirst()
}
