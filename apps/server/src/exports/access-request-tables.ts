// The table of access requests in exports.
import type { RawBuilder, SqlBool } from 'kysely'
import { type ExportedTable, INTERNAL } from './exported-table.ts'

/** In the export of a namespace. */
export const ACCESS_REQUESTS: ExportedTable = {
  columns: [
    'id',
    'user_id',
    'user_name',
    'device_uid',
    'device_name',
    'tag',
    'accounts',
    'minutes',
    'reason',
    'state',
    'created_at',
    'pending_until',
    'decided_at',
    'decided_by',
    'decided_by_name',
    'note',
    'expires_at',
    'ended_at',
    'ended_by',
    'ended_by_name',
  ],
  order: ['id'],
  without: { expiry_logged: INTERNAL },
}

/** In the export of an account. @param where rows about the person */
export function accountAccess(where: RawBuilder<SqlBool>) {
  return {
    where,
    columns: [
      'tenant_id',
      'id',
      'device_uid',
      'device_name',
      'tag',
      'accounts',
      'minutes',
      'reason',
      'state',
      'created_at',
      'pending_until',
      'decided_at',
      'note',
      'expires_at',
      'ended_at',
    ],
    order: ['tenant_id', 'id'],
    without: {
      user_id: 'is the person',
      user_name: 'is the person',
      decided_by: 'is about somebody else',
      decided_by_name: 'is about somebody else',
      ended_by: 'is about somebody else',
      ended_by_name: 'is about somebody else',
      expiry_logged: INTERNAL,
    },
  }
}
