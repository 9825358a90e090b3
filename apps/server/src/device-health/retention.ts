// Folds points of five minutes into those of an hour after a day, and forgets the latter after a month.
import { LIMITS } from '@bowline/contract/limits'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { deleteDays, foldPoints } from './store.ts'

const BATCH = 5_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Hours are folded six at a time: a row of a day is written four times then. */
const FOLDED_MS = 6 * HOUR_MS

/**
 * @param system connection to every namespace
 * @param now milliseconds since the epoch
 */
export async function forgetHealth(system: Kysely<Schema>, now: number): Promise<void> {
  // A row begins an hour before its last point.
  const before = Math.floor((now - DAY_MS - HOUR_MS) / FOLDED_MS) * FOLDED_MS
  while ((await foldPoints(system, new Date(before), BATCH)) === BATCH);
  const days = new Date(now - (LIMITS.health.days + 1) * DAY_MS)
  while ((await deleteDays(system, days, BATCH)) === BATCH);
}
