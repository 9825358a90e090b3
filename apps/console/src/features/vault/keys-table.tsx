// Keys of the vault, and what can be done with each.
import { KeyName } from '@bowline/contract/schemas/public-key'
import { useQuery } from '@tanstack/react-query'
import { FileKey2, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Group, Text, TextInput } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { vaultMessages as texts } from './messages.ts'
import { registeredQuery } from './queries.ts'
import type { VaultKey } from './vault-key.ts'
import { vaultOf } from './vault.ts'

interface Row {
  readonly item: VaultKey
  /** Whether the namespace knows it, in words. */
  readonly registered: string
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', header: texts.columns.name, cell: ({ item }) => item.name },
  {
    id: 'key',
    header: texts.columns.key,
    cell: ({ item: { type, fingerprint, fault } }) =>
      fault ? (
        texts.faults[fault]
      ) : (
        <span>
          {type} <span className={cells['mono']}>{fingerprint}</span>
        </span>
      ),
  },
  { id: 'registered', header: texts.columns.registered, width: '8rem', cell: ({ registered }) => registered },
  {
    id: 'added',
    header: texts.columns.added,
    width: '7rem',
    cell: ({ item }) => <TimeAgo time={new Date(item.added).toISOString()} />,
  },
]

interface KeysTableProps {
  readonly keys: readonly VaultKey[]
  /** Shows the public half of a key, to register it. */
  readonly onRegister: (id: string) => void
}

export function KeysTable({ keys, onRegister }: KeysTableProps) {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const vault = vaultOf(useRuntime())
  const [renaming, setRenaming] = useState<VaultKey>()
  const [removing, setRemoving] = useState<VaultKey>()
  const fingerprints = keys.map(({ fingerprint }) => fingerprint).filter(Boolean)
  const query = useQuery({ ...registeredQuery(api, fingerprints), enabled: tenant !== '' && fingerprints.length > 0 })
  const remove = useAction({
    call: ({ id }: VaultKey) => vault.remove(id),
    done: ({ name }) => texts.removed(name),
    failed: texts.failed,
  })
  const registered = (key: VaultKey): string => {
    if (!query.data) return texts.unknown
    const known = query.data.find(({ fingerprint_sha256 }) => fingerprint_sha256 === key.fingerprint)
    return known && !known.disabled ? texts.yes : texts.no
  }
  const action = (label: string, title: string, Icon: typeof Pencil, onClick: () => void) => (
    <IconButton aria-label={label} title={title} onClick={onClick}>
      <Icon size={15} aria-hidden />
    </IconButton>
  )
  return (
    <>
      <DataTable
        label={texts.table}
        columns={COLUMNS}
        rows={keys.map((item) => ({ item, registered: registered(item) }))}
        rowKey={({ item }) => item.id}
        renderActions={({ item: key }) => (
          <Group gap={4} wrap="nowrap" justify="flex-end">
            {key.parsed ? action(texts.showNamed(key.name), texts.show, FileKey2, () => onRegister(key.id)) : null}
            {action(texts.renameNamed(key.name), texts.rename, Pencil, () => setRenaming(key))}
            {action(texts.removeNamed(key.name), texts.remove, Trash2, () => setRemoving(key))}
          </Group>
        )}
        empty={
          <Text size="sm" p="sm">
            {texts.empty}
          </Text>
        }
      />
      <Dialog
        opened={renaming !== undefined}
        onClose={() => setRenaming(undefined)}
        title={texts.renameTitle(renaming?.name ?? '')}
      >
        {renaming ? <Rename item={renaming} onDone={() => setRenaming(undefined)} /> : null}
      </Dialog>
      <Confirm
        opened={removing !== undefined}
        title={texts.removeTitle(removing?.name ?? '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </>
  )
}

function Rename({ item, onDone }: { readonly item: VaultKey; readonly onDone: () => void }) {
  const vault = vaultOf(useRuntime())
  const form = useContractForm({
    losable: true,
    schema: z.object({ name: KeyName }),
    values: { name: item.name },
    labels: texts.labels,
    async send({ name }) {
      await vault.rename(item.id, name)
      onDone()
    },
  })
  return (
    <DialogForm form={form} failed={texts.failed} submit={texts.save} onCancel={onDone}>
      <TextInput {...form.field('name')} data-autofocus autoComplete="off" />
    </DialogForm>
  )
}
