// The roles that the namespace makes for itself, and who has them.
import type { OwnRole } from '@bowline/contract/operations/fleet/roles'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Trash2, UserCog } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { Badge, Text } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { rolesMessages as texts } from './messages.ts'
import { rolesQuery, useAddRole, useChangeRole, useRemoveRole } from './queries.ts'
import { RoleForm } from './role-form.tsx'

const COLUMNS: readonly Column<OwnRole>[] = [
  { id: 'name', header: texts.columns.name, cell: ({ name }) => <span className={cells['primary']}>{name}</span> },
  {
    id: 'permissions',
    header: texts.columns.permissions,
    cell: ({ permissions }) => permissions.map((permission) => texts.permissions[permission]).join(' · '),
  },
  { id: 'devices', header: texts.columns.devices, width: '12rem', cell: (role) => <Devices role={role} /> },
  { id: 'members', header: texts.columns.members, width: '7rem', cell: ({ members }) => members.length },
]

interface RolesTabProps {
  readonly isAdding: boolean
  readonly onAdded: () => void
}

export function RolesTab({ isAdding, onAdded }: RolesTabProps) {
  const { api } = useRuntime()
  const may = useMay('namespaceEditMember')
  const list = useQuery(rolesQuery(api))
  const [editing, setEditing] = useState<OwnRole>()
  const [removing, setRemoving] = useState<OwnRole>()
  const [add, change, remove] = [useAddRole(), useChangeRole(), useRemoveRole()]
  return (
    <>
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
          rowKey={({ id }) => id}
          renderActions={(role) => (
            <>
              <GatedAction
                may={may}
                why={texts.mayNot}
                label={texts.editNamed(role.name)}
                hint={texts.edit}
                onClick={() => setEditing(role)}
              >
                <Pencil size={15} aria-hidden />
              </GatedAction>
              <GatedAction
                may={may}
                why={texts.mayNot}
                label={texts.removeNamed(role.name)}
                hint={texts.remove}
                onClick={() => setRemoving(role)}
              >
                <Trash2 size={15} aria-hidden />
              </GatedAction>
            </>
          )}
          empty={<EmptyState icon={<UserCog size={24} />} title={texts.empty} text={texts.emptyText} />}
        />
      )}
      <Dialog opened={isAdding} onClose={onAdded} title={texts.addTitle}>
        <RoleForm
          send={async (body) => {
            await add.send(body)
            onAdded()
          }}
          onCancel={onAdded}
        />
      </Dialog>
      <Dialog
        opened={editing !== undefined}
        onClose={() => setEditing(undefined)}
        title={texts.editTitle(editing?.name ?? '')}
      >
        {editing ? (
          <RoleForm
            role={editing}
            send={async (body) => {
              await change.send({ id: editing.id, body })
              setEditing(undefined)
            }}
            onCancel={() => setEditing(undefined)}
          />
        ) : null}
      </Dialog>
      <Confirm
        opened={removing !== undefined}
        title={texts.removeTitle(removing?.name ?? '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeText(removing?.members.length ?? 0)}</Text>
      </Confirm>
    </>
  )
}

function Devices({ role: { tags } }: { readonly role: OwnRole }) {
  if (!tags) return texts.allDevices
  return tags.map((tag) => (
    <Badge key={tag} size="sm" variant="default" tt="none" mr={4}>
      {tag}
    </Badge>
  ))
}
