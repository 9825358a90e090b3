// Namespaces that somebody has left whose sessions still run: what ended the membership may have been another process.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { findEndedMemberships } from '../membership/membership.ts'
import { findWithDisabled } from '../public-keys/service.ts'

/** What a session was opened with. */
interface Opened {
  readonly tenant: TenantId
  /** Wire encoding of the key. */
  readonly key: Uint8Array | undefined
  readonly person: UserId | undefined
}

/**
 * The namespaces of some sessions in which the person, or the owner of the key, is no member any more.
 * @param system connection of all namespaces
 */
export async function findLeft(system: Kysely<Schema>, opened: readonly Opened[]): Promise<Set<TenantId>> {
  const keys = opened.flatMap(({ tenant, key }) => (key ? [{ tenant, blob: key }] : []))
  const people = opened.flatMap(({ tenant, person }) => (person === undefined ? [] : [{ tenant, user: person }]))
  const ended = await findEndedMemberships(system, people)
  return new Set([...(await findWithDisabled(system, keys)), ...ended.map(({ tenant }) => tenant)])
}
