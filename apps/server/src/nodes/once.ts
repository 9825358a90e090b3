// Work that one node does for all: the one that has the lease of it at the time.
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { takeJob } from './store.ts'

/**
 * Runs a job unless another node has its lease.
 * @param seconds life of the lease: longer than the interval of the job, so that it stays where it is
 */
export type RunOnce = (job: string, seconds: number, work: () => Promise<void>) => Promise<void>

/** For a server that runs by itself. */
export const runAlone: RunOnce = (_job, _seconds, work) => work()

/** Takes or renews the lease of work that never ends. @param db system connection @returns true while the node has it */
export function holdsJob(db: Kysely<Schema>, job: string, node: string, seconds: number): Promise<boolean> {
  return takeJob(db, job, node, seconds)
}

/** @param db system connection */
export function runByLease(db: Kysely<Schema>, node: string): RunOnce {
  return async (job, seconds, work) => {
    if (await takeJob(db, job, node, seconds)) await work()
  }
}
