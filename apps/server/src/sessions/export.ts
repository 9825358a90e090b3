// All sessions that match as a file.
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { sessions as operations } from '@bowline/contract/operations/sessions'
import type { SessionUid } from '@bowline/contract/schemas/common'
import type { Session } from '@bowline/contract/schemas/session'
import type { TenantContext } from '../context.ts'
import { compileFilter } from '../db/lists/filter.ts'
import { type CsvColumns, exportedLines, requireExportable } from '../platform/exported-lines.ts'
import { SESSION_PROPERTIES, findInOrder, selectUids } from './store.ts'
import { describeSessions } from './wire.ts'

/**
 * Every session of a list in its order, in chunks of text. The sessions are those of the moment of the call, each as it
 * is when it is written; one that is deleted meanwhile is left out.
 * @param mayGoOn see {@link exportedLines}
 * @throws {BowlineError} INVALID_FILTER, also for more sessions than an export has
 */
export async function exported(
  ctx: TenantContext,
  { filter, sort_by: sortBy, order_by: order, format }: Input<typeof operations.export>['query'],
  mayGoOn: () => Promise<boolean>,
): Promise<AsyncGenerator<string>> {
  const { exportedSessions: limit } = LIMITS
  const where = compileFilter(filter, SESSION_PROPERTIES, 'and')
  const keys = await selectUids(ctx.db, { where, sortBy, order, limit: limit + 1, offset: 0 })
  requireExportable(keys, limit, 'started_at')
  const read = async (uids: readonly SessionUid[]) => describeSessions(ctx, await findInOrder(ctx.db, uids))
  return exportedLines({ keys, read, format, columns: COLUMNS, mayGoOn })
}

const COLUMNS: CsvColumns<Session> = [
  ['started_at', (session) => session.started_at],
  ['ended_at', ({ closed }) => closed?.at ?? ''],
  ['device', ({ device }) => device?.name ?? ''],
  ['username', ({ username }) => username],
  ['person', ({ person }) => person?.name ?? ''],
  ['method', ({ method }) => method ?? ''],
  ['second_factor', (session) => session.second_factor ?? ''],
  ['key_name', ({ key }) => key?.name ?? ''],
  ['key_fingerprint', ({ key }) => key?.fingerprint ?? ''],
  ['ip_address', (session) => session.ip_address],
  ['client', ({ type }) => type],
  ['authenticated', ({ authenticated }) => String(authenticated)],
  ['active', ({ active }) => String(active)],
  ['recorded', ({ recorded }) => String(recorded)],
  ['events', ({ events }) => events.types.join(' ')],
  ['command', ({ command }) => command],
  ['ended_by', ({ closed }) => closed?.by ?? ''],
  ['reason', ({ closed }) => closed?.reason ?? ''],
  ['message', ({ closed }) => closed?.message ?? ''],
  ['last_seen', (session) => session.last_seen],
  ['uid', ({ uid }) => uid],
  ['device_uid', (session) => session.device_uid],
]
