// The person's passkeys, on the profile.
import { passkeys as operations } from '@bowline/contract/operations/passkeys'
import { NEVER } from '@bowline/contract/schemas/common'
import type { Passkey } from '@bowline/contract/schemas/passkey'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { infoQuery } from '../instance/queries.ts'
import { forgetRemoved, hasPasskeys } from './browser.ts'
import { passkeyMessages as texts } from './messages.ts'
import { PasskeyDialog } from './passkey-dialogs.tsx'
import { AFTER_CHANGE, passkeysQuery } from './queries.ts'

const COLUMNS: readonly Column<Passkey>[] = [
  { id: 'name', header: texts.columns.name, cell: ({ name }) => name },
  { id: 'used', header: texts.columns.used, width: '8rem', cell: ({ last_used_at }) => <Used at={last_used_at} /> },
  { id: 'kept', header: texts.columns.kept, cell: (passkey) => keptIn(passkey) },
]

export function PasskeysCard() {
  const { api } = useRuntime()
  const info = useQuery(infoQuery(api))
  const list = useQuery(passkeysQuery(api))
  const [edited, setEdited] = useState<Passkey | 'new'>()
  const [removing, setRemoving] = useState<Passkey>()
  const remove = useRemoval()
  const isWorking = info.data?.authentication.passkeys !== false
  return (
    <SectionCard id="passkeys" title={texts.title} text={texts.text}>
      <Stack gap="md">
        {isWorking ? null : <Callout tone="note">{texts.unavailable}</Callout>}
        {isWorking && !hasPasskeys() ? <Callout tone="note">{texts.unsupported}</Callout> : null}
        {list.error ? (
          <ErrorPanel title={texts.loadFailed} error={list.error} />
        ) : (
          <DataTable
            label={texts.table}
            columns={COLUMNS}
            rows={list.data}
            rowKey={({ id }) => id}
            renderActions={(passkey) => (
              <Group gap={4} wrap="nowrap" justify="flex-end">
                <IconButton
                  aria-label={texts.renameNamed(passkey.name)}
                  title={texts.rename}
                  onClick={() => setEdited(passkey)}
                >
                  <Pencil size={15} aria-hidden />
                </IconButton>
                <IconButton
                  aria-label={texts.removeNamed(passkey.name)}
                  title={texts.remove}
                  onClick={() => setRemoving(passkey)}
                >
                  <Trash2 size={15} aria-hidden />
                </IconButton>
              </Group>
            )}
            empty={
              <Text size="sm" p="sm">
                {texts.empty}
              </Text>
            }
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" disabled={!isWorking || !hasPasskeys()} onClick={() => setEdited('new')}>
            {texts.add}
          </Button>
        </Group>
      </Stack>
      <PasskeyDialog edited={edited} onClose={() => setEdited(undefined)} />
      <Confirm
        opened={removing !== undefined}
        title={texts.removeTitle(removing?.name ?? '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </SectionCard>
  )
}

function useRemoval() {
  const { api, session } = useRuntime()
  const { run } = useAction({
    async call({ id }: Passkey) {
      const { body } = await api.call(operations.remove, { params: { id } })
      void forgetRemoved(body)
      await session.renew()
    },
    done: ({ name }) => texts.removed(name),
    failed: texts.removeFailed,
    invalidates: AFTER_CHANGE,
  })
  return { run }
}

function Used({ at }: { readonly at: string }) {
  return at === NEVER ? texts.never : <TimeAgo time={at} />
}

function keptIn({ backed_up, device_type }: Passkey): string {
  if (backed_up) return texts.backedUp
  return device_type === 'multi-device' ? texts.syncable : texts.single
}
