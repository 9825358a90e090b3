// Finds namespaces with running sessions of former members: another process may have ended the membership.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { findEndedMemberships } from '../membership/membership.ts'
import { findDisabledNamespaces } from '../namespaces/service.ts'
import { findWithDisabled } from '../public-keys/service.ts'

/** Credential that a session was opened with. */
interface Opened {
  readonly tenant: TenantId
  /** Wire encoding of the key. */
  readonly key: Uint8Array | undefined
  readonly person: UserId | undefined
}

/**
 * Namespaces of those sessions whose user, or key owner, is no longer a member or is disabled, and disabled ones.
 * @param system connection of all namespaces
 */
export async function findLeavers(system: Kysely<Schema>, opened: readonly Opened[]): Promise<Set<TenantId>> {
  const keys = opened.flatMap(({ tenant, key }) => (key ? [{ tenant, blob: key }] : []))
  const people = opened.flatMap(({ tenant, person }) => (person === undefined ? [] : [{ tenant, user: person }]))
  const ended = await findEndedMemberships(system, people)
  const tenants = [...new Set(opened.map(({ tenant }) => tenant))]
  const disabled = await findDisabledNamespaces(system, tenants)
  return new Set([...disabled, ...(await findWithDisabled(system, keys)), ...ended.map(({ tenant }) => tenant)])
}
