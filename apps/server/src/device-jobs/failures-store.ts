// SQL of the devices on which a change failed.
import type { DeviceJobFailure } from '@bowline/contract/operations/fleet/device-jobs'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import { type Page, readPage } from '../db/lists/page.ts'
import type { Schema } from '../db/schema.ts'

/** Absent: any. */
export interface Cause {
  /** Code of the failure. */
  readonly cause?: string | undefined
  readonly message?: string | undefined
}

/** A page of failures by the names of their devices, with the number of all that match. */
export function readFailures(
  db: Kysely<Schema>,
  id: string,
  cause: Cause,
  page: Page,
): Promise<{ rows: readonly DeviceJobFailure[]; total: number }> {
  return readPage(db, page, {
    total: (one) => countRows(failed(one, id, cause)),
    read: (one, { limit, offset }) =>
      described(inOrder(failed(one, id, cause)))
        .limit(limit)
        .offset(offset)
        .execute(),
    isTotalKept: false,
  })
}

/** Devices of all failures that match, by name. */
export async function failedUids(db: Kysely<Schema>, id: string, cause: Cause): Promise<DeviceUid[]> {
  const rows = await inOrder(failed(db, id, cause))
    .select('device_uid')
    .execute()
  return rows.map(({ device_uid: uid }) => uid)
}

/** Failures of some devices, by name. */
export function findFailures(db: Kysely<Schema>, id: string, uids: readonly DeviceUid[]): Promise<DeviceJobFailure[]> {
  return described(inOrder(failed(db, id, {})))
    .where(sql<boolean>`device_uid = any(${uids})`)
    .execute()
}

type Failed = ReturnType<typeof failed>

function failed(db: Kysely<Schema>, id: string, { cause, message }: Cause) {
  let select = db.selectFrom('device_job_items').where('job_id', '=', id).where('state', '=', 'failed')
  if (cause !== undefined) select = select.where('error_code', '=', cause)
  return message === undefined ? select : select.where('error_message', '=', message)
}

/** As lists of devices are: `device-2` before `device-10`. */
function inOrder(select: Failed): Failed {
  return select.orderBy(sql`name collate by_number`).orderBy('device_uid')
}

function described(select: Failed) {
  return select.select([
    'device_uid as uid',
    'name',
    (all) => all.fn.coalesce('error_code', sql.lit('')).as('code'),
    (all) => all.fn.coalesce('error_message', sql.lit('')).as('message'),
  ])
}
