// Forgets when devices were online.
import { LIMITS } from '@bowline/contract/limits'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { deleteSpans } from './store.ts'

const BATCH = 10_000
const DAY_MS = 86_400_000

/**
 * Deletes the spans that ended before the time that is kept.
 * @param system connection to every namespace
 * @param now milliseconds since the epoch
 */
export async function forgetPresence(system: Kysely<Schema>, now: number): Promise<void> {
  while ((await deleteSpans(system, new Date(now - LIMITS.presence.days * DAY_MS), BATCH)) === BATCH);
}
