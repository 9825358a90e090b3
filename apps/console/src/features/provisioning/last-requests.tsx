// The last changes that the identity provider asked for, and what was refused.
import type { Scim } from '@bowline/contract/schemas/scim'
import { Text } from '../../ui/kit.ts'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { provisioningMessages as texts } from './messages.ts'

type Request = Scim['requests'][number]

const COLUMNS: readonly Column<Request>[] = [
  { id: 'request', header: texts.columns.request, cell: ({ method, path }) => <code>{`${method} ${path}`}</code> },
  { id: 'status', header: texts.columns.status, cell: ({ status }) => status },
  { id: 'detail', header: texts.columns.detail, cell: ({ detail }) => detail },
  { id: 'at', header: texts.columns.at, cell: ({ at }) => <TimeAgo time={at} /> },
]

export function LastRequests({ requests }: Pick<Scim, 'requests'>) {
  return (
    <DataTable
      label={texts.requests}
      columns={COLUMNS}
      rows={requests}
      rowKey={({ id }) => String(id)}
      empty={<Text size="sm">{texts.noRequests}</Text>}
    />
  )
}
