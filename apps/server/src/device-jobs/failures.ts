// Every device on which a change failed: page by page, or all of them as a file.
import type { Input } from '@bowline/contract/operation'
import type { DeviceJobFailure, deviceJobs } from '@bowline/contract/operations/fleet/device-jobs'
import type { DeviceUid, ExportFormat } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../context.ts'
import type { Listing } from '../db/lists/listing.ts'
import { type CsvColumns, exportedLines } from '../platform/exported-lines.ts'
import { failedUids, findFailures, readFailures } from './failures-store.ts'
import { requireOwn } from './service.ts'

type Query = Omit<Input<typeof deviceJobs.failures>['query'], 'format'>

/**
 * A page of the devices on which a change failed, by name.
 * @throws {BowlineError} NOT_FOUND, also for jobs of others
 */
export async function listFailures(
  ctx: TenantContext,
  id: string,
  { page, per_page: limit, ...cause }: Query,
): Promise<Listing<DeviceJobFailure>> {
  await requireOwn(ctx, id)
  const { rows, total } = await readFailures(ctx.db, id, cause, { limit, offset: (page - 1) * limit })
  return { items: rows, total }
}

/**
 * Every device on which a change failed, in chunks of text; a job is no longer than an export may be.
 * @param mayGoOn see {@link exportedLines}
 * @throws {BowlineError} NOT_FOUND, also for jobs of others
 */
export async function exportFailures(
  ctx: TenantContext,
  id: string,
  { format, ...cause }: Pick<Query, 'cause' | 'message'> & { readonly format: ExportFormat },
  mayGoOn: () => Promise<boolean>,
): Promise<{ readonly lines: AsyncGenerator<string>; readonly total: number }> {
  await requireOwn(ctx, id)
  const keys = await failedUids(ctx.db, id, cause)
  const read = (uids: readonly DeviceUid[]) => findFailures(ctx.db, id, uids)
  return { lines: exportedLines({ keys, read, format, columns: COLUMNS, mayGoOn }), total: keys.length }
}

const COLUMNS: CsvColumns<DeviceJobFailure> = [
  ['name', ({ name }) => name],
  ['uid', ({ uid }) => uid],
  ['code', ({ code }) => code],
  ['message', ({ message }) => message],
]
