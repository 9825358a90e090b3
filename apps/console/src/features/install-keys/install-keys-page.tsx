// The namespace's install keys: what devices get that register with one.
import { installKeys as operations } from '@bowline/contract/operations/fleet/install-keys'
import type { InstallKey } from '@bowline/contract/schemas/fleet/install-key'
import { useQuery } from '@tanstack/react-query'
import { Plus, Ticket, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedAction, GatedButton } from '../../ui/feedback/gated.tsx'
import { Stack, Text } from '../../ui/kit.ts'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { Page } from '../../ui/page/page.tsx'
import { formatCount, formatMoment } from '../../ui/text/numbers.ts'
import { useNow } from '../../ui/text/ticker.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import cells from '../../ui/list/cells.module.css'
import { UserAuthority } from '../devices/agentless/user-authority.tsx'
import { CreateKey } from './create-key.tsx'
import { installKeysMessages as texts } from './messages.ts'
import { INSTALL_KEYS, installKeysQuery } from './queries.ts'

const COLUMNS: readonly Column<InstallKey>[] = [
  { id: 'name', header: texts.columns.name, cell: ({ name }) => <span className={cells['primary']}>{name}</span> },
  {
    id: 'accepts',
    header: texts.columns.accepts,
    cell: ({ accepts }) => (accepts ? texts.accepted : texts.pending),
  },
  { id: 'tags', header: texts.columns.tags, cell: ({ tags }) => tags.join(', ') },
  { id: 'uses', header: texts.columns.uses, cell: usesOf },
  { id: 'expires', header: texts.columns.expires, cell: (key) => <Expiry expiresAt={key.expires_at} /> },
  {
    id: 'used',
    header: texts.columns.used,
    cell: ({ last_used_at: at }) => (at === null ? texts.unused : <TimeAgo time={at} />),
    wideOnly: true,
  },
]

export function InstallKeysPage() {
  const { api } = useRuntime()
  const list = useQuery(installKeysQuery(api))
  const mayCreate = useMay('installKeyCreate')
  const mayRemove = useMay('installKeyDelete')
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<string>()
  const remove = useAction({
    call: (name: string) => api.call(operations.remove, { params: { install_key: name } }),
    done: (name) => texts.removed(name),
    failed: (name) => texts.removeFailed(name),
    invalidates: [INSTALL_KEYS],
  })
  return (
    <Page
      title={texts.title}
      actions={
        <GatedButton
          may={mayCreate}
          why={texts.roleTooLow}
          leftSection={<Plus size={16} aria-hidden />}
          onClick={() => setAdding(true)}
        >
          {texts.add}
        </GatedButton>
      }
    >
      <Text size="sm" c="dimmed" mb="md">
        {texts.intro}
      </Text>
      {list.isError && !list.data ? (
        <ErrorPanel title={texts.loadFailed} error={list.error} onRetry={() => list.refetch()} />
      ) : (
        <DataTable
          label={texts.tableLabel}
          columns={COLUMNS}
          rows={list.data}
          rowKey={({ name }) => name}
          renderActions={({ name }) => (
            <GatedAction
              may={mayRemove}
              why={texts.roleTooLow}
              label={texts.removeNamed(name)}
              hint={texts.remove}
              onClick={() => setRemoving(name)}
            >
              <Trash2 size={15} aria-hidden />
            </GatedAction>
          )}
          empty={<EmptyState icon={<Ticket size={24} />} title={texts.empty} text={texts.emptyText} />}
        />
      )}
      <Stack mt="xl">
        <UserAuthority />
      </Stack>
      <CreateKey opened={isAdding} onClose={() => setAdding(false)} />
      <Confirm
        opened={removing !== undefined}
        title={texts.removeTitle(removing ?? '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing !== undefined && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </Page>
  )
}

function usesOf({ uses, max_uses: max }: InstallKey): string {
  return max === null ? formatCount(uses) : texts.usesOf(formatCount(uses), formatCount(max))
}

function Expiry({ expiresAt }: { readonly expiresAt: string | null }) {
  const nowMs = useNow()
  if (expiresAt === null) return texts.never
  return Date.parse(expiresAt) <= nowMs ? texts.expired : formatMoment(expiresAt)
}
