// Devices that went offline together: one line for 640 of them that one network has lost.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { Incident, IncidentDevice, incidents } from '@bowline/contract/operations/fleet/presence'
import type { TenantContext } from '../context.ts'
import type { Listing } from '../db/lists/listing.ts'
import { NamespaceTurns } from '../platform/namespace-turns.ts'
import { type IncidentRow, findIncident, listIncidentDevices, listIncidents } from './incident-store.ts'

export type Turns = Pick<NamespaceTurns, 'run'>

/** Turns of statements that read all spans of a namespace. */
export const presenceTurns = (): Turns => new NamespaceTurns(LIMITS.presence.turns)

/** @throws {BowlineError} TOO_MANY_REQUESTS */
export async function list(
  { tenant, db }: Pick<TenantContext, 'tenant' | 'db'>,
  turns: Turns,
  { state, page, per_page }: Input<typeof incidents.list>['query'],
): Promise<Listing<Incident>> {
  const wanted = { state, limit: per_page, offset: (page - 1) * per_page }
  const { rows, total } = await turns.run(tenant, () => listIncidents(db, wanted))
  return { items: rows.map(toIncident), total }
}

/** @throws {BowlineError} NOT_FOUND, TOO_MANY_REQUESTS */
export async function get(
  { tenant, db }: Pick<TenantContext, 'tenant' | 'db'>,
  turns: Turns,
  id: string,
): Promise<Incident> {
  const row = await turns.run(tenant, () => findIncident(db, id))
  return row ? toIncident(row) : fail('NOT_FOUND', { what: 'The incident' })
}

/** Its devices, those that are away first. @throws {BowlineError} NOT_FOUND, TOO_MANY_REQUESTS */
export async function devicesOf(
  { tenant, db }: Pick<TenantContext, 'tenant' | 'db'>,
  turns: Turns,
  id: string,
  { page, per_page }: Input<typeof incidents.devices>['query'],
): Promise<Listing<IncidentDevice>> {
  const wanted = { limit: per_page, offset: (page - 1) * per_page }
  const { rows, total } = await turns.run(tenant, () => listIncidentDevices(db, id, wanted))
  if (total === 0) fail('NOT_FOUND', { what: 'The incident' })
  return {
    items: rows.map(({ uid, name, left_at, back_at, cause }) => ({
      uid,
      name,
      left_at: left_at.toISOString(),
      back_at: back_at?.toISOString() ?? null,
      cause,
    })),
    total,
  }
}

function toIncident({ id, isOfServer, network, cause, devices, away, examples, ...times }: IncidentRow): Incident {
  return {
    id,
    kind: isOfServer ? 'server' : 'network',
    network,
    cause,
    started_at: times.started_at.toISOString(),
    last_at: times.last_at.toISOString(),
    ended_at: times.ended_at?.toISOString() ?? null,
    devices,
    away,
    examples,
  }
}
