// Tables of saved views, favourite devices, shared snippets, tag rules and changes of many devices in an export.
import { type ExportedTable, INTERNAL } from './exported-table.ts'

export const VIEW_TABLES: Readonly<Record<string, ExportedTable>> = {
  saved_views: { columns: ['id', 'user_id', 'name', 'list', 'query', 'created_at'], order: ['id'] },
  shared_snippets: {
    columns: [
      'id',
      'name',
      'text',
      'tags',
      'created_at',
      'created_by',
      'created_by_name',
      'changed_at',
      'changed_by',
      'changed_by_name',
    ],
    order: ['id'],
  },
  tag_rules: {
    columns: ['id', 'tag', 'query', 'active', 'created_at', 'changed_at', 'devices'],
    order: ['id'],
  },
  device_favorites: { columns: ['user_id', 'device_uid'], order: ['user_id', 'device_uid'] },
  device_jobs: {
    columns: ['id', 'user_id', 'action', 'tags', 'state', 'total', 'undoes', 'created_at', 'finished_at'],
    order: ['id'],
    without: { leased_until: INTERNAL },
  },
  device_job_items: {
    columns: ['job_id', 'device_uid', 'name', 'state', 'status_before', 'tags_before', 'error_code', 'error_message'],
    order: ['job_id', 'device_uid'],
  },
}
